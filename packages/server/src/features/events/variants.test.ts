// An event is rendered once for all queues of the same variant, so all of them must be shown exactly the same.
import { describe, expect, test } from 'vitest';
import { eventExamples } from '../../../test/examples.ts';
import type { Event } from '../../core/contract.ts';
import type { Queue } from '../../core/polls.ts';
import type { AudienceFacts, LoggedEvent } from '../event-log/index.ts';
import { asShown, getVariant } from './rules.ts';

const EVENT = 5;
const STREAM = 2;
const MEMBER = 7;
const EARLIER_MEMBER = 8;
const VISITOR = 9;
const users = [MEMBER, EARLIER_MEMBER, VISITOR];
const defaultAvatar = (user_id: number) => `/avatar/${user_id}`;

/** Queues of each user, with and without each option that a queue can have. */
const queues: Queue[] = users.flatMap((user_id) =>
  [...Array(16).keys()].map((bits) => ({
    id: `${user_id}:${bits}`,
    realm_id: 1,
    user_id,
    event_types: null,
    narrow: [],
    apply_markdown: Boolean(bits & 1),
    client_gravatar: Boolean(bits & 2),
    slim_presence: Boolean(bits & 4),
    all_public_streams: Boolean(bits & 8),
    key_version: 1,
  })),
);

const nothing = new Map<number, never>();
const of = <Value>(...entries: [number, Value][]) => new Map([[EVENT, new Map(entries)]]);

/** The possible facts about the readers of an event's messages. */
const readings: Record<string, Partial<AudienceFacts['reading']>> = {
  nothing: {},
  'a reader without flags': { readers: of([MEMBER, []]) },
  'readers with the same flags': { readers: of([MEMBER, ['read']], [EARLIER_MEMBER, ['read']]) },
  'readers with other flags': { readers: of([MEMBER, ['read']], [EARLIER_MEMBER, ['read', 'starred']]) },
  'readers of parts': {
    readers: of([MEMBER, ['read']], [EARLIER_MEMBER, ['read']]),
    parts: of([MEMBER, [1]], [EARLIER_MEMBER, [1, 2]], [VISITOR, [2]]),
    renamed: of([VISITOR, ['starred']]),
  },
  'parts of one user': { parts: of([VISITOR, [2]]), renamed: of([VISITOR, []]) },
};

const factsWith = (reading: Partial<AudienceFacts['reading']>): AudienceFacts => ({
  roles: new Map(users.map((id) => [id, 400])),
  key_versions: new Map(),
  token_ids: new Set<number>(),
  members: new Map([[EVENT, new Set([MEMBER])]]),
  public_streams: new Set([STREAM]),
  reading: {
    relocated: new Set(),
    readers: nothing,
    parts: nothing,
    renamed: nothing,
    lost_access: nothing,
    ...reading,
  },
});

/** An example as the log can have it: with and without the data for the queue that sent it. */
function logged(payload: Event): LoggedEvent[] {
  const audience = { conversation: { id: 2, seq: 9 }, public_stream: STREAM };
  const event = { id: EVENT, payload, audience };
  if (payload.type !== 'message') return [event];
  const local = { queue_id: `${MEMBER}:3`, message_id: '1.1' };
  const message = { ...payload.message, avatar_url: null };
  return [
    event,
    {
      ...event,
      payload: { ...payload, message },
      audience: { ...audience, asides: { raw_content: '**soup**', local } },
    },
  ];
}

/** For each variant, the distinct results of its queues. */
function shownByVariant(event: LoggedEvent, facts: AudienceFacts): Map<string, Set<string>> {
  const shown = new Map<string, Set<string>>();
  for (const queue of queues) {
    const variant = getVariant(event, queue, facts);
    if (variant === undefined) continue;
    const json = JSON.stringify(asShown(event, queue, facts, defaultAvatar));
    shown.set(variant, (shown.get(variant) ?? new Set()).add(json));
  }
  return shown;
}

const payloads = eventExamples.map(({ schema, name, value }) => [`${schema}: ${name}`, value as Event] as const);

describe.each(Object.entries(readings))('with %s', (_case, reading) => {
  test.each(payloads)('queues of one variant receive the same result of %s', (_name, payload) => {
    for (const event of logged(payload))
      for (const shown of shownByVariant(event, factsWith(reading)).values()) expect([...shown]).toHaveLength(1);
  });
});

test('several queues share a variant, so that rendering once saves work', () => {
  const [message] = payloads.filter(([, { type }]) => type === 'message').flatMap(([, payload]) => logged(payload));
  if (!message) throw new Error('no example of a message');
  expect(shownByVariant(message, factsWith({})).size).toBeLessThan(queues.length / 2);
});
