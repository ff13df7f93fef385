// Every id parameter of every operation, with callers who cannot see the object: the response is that for an id that
// does not exist. The table is generated from the document, so a new operation is covered at once.
import { operations as table } from '@parley/openapi';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from './chat.ts';
import { schedule } from './scheduling.ts';

let chat: Chat;
let identities: Record<string, TestUser>;
let hidden: Record<Id | 'user_id', number>;
/** A message of each user's own, by the user. */
const own = new Map<number, number>();
const ownScheduled = new Map<number, number>();
const UNKNOWN = 987_654_321;
const FAR = 32_503_680_000;
/** Statements that a request with an id of another organization may cost: the dearest moves a message of one's own there. */
const STATEMENTS_OF_FOREIGN_IDS = 7;

beforeAll(async () => {
  chat = await startChat();
  const options = { mirrored: false } as const;
  const host = await chat.user('hana', { role: 'moderator', ...options });
  const other = await chat.otherRealm('other');
  const exMember = await chat.user('ed', options);
  identities = {
    'a user of another organization': await chat.user('fay', { realm: other.realm, ...options }),
    'an owner of another organization': other.owner,
    'an ex-member': exMember,
    'a guest who is not in it': await chat.user('gus', { role: 'guest', ...options }),
    'a bot of a user outside it': await chat.user('bo', { bot_of: await chat.user('ben', options), ...options }),
    'a member who is not in it': await chat.user('mo', options),
  };
  for (const owner of [chat.owner, other.owner]) {
    await owner.api.updateRealm({ move_messages_between_streams_policy: 1 });
    await owner.api.subscribe({ subscriptions: [{ name: 'lobby' }] });
  }
  await chat.owner.api.subscribe({
    subscriptions: [{ name: 'lobby' }],
    principals: [identities['a guest who is not in it']?.id ?? 0],
  });
  for (const from of Object.values(identities)) {
    own.set(from.id, await chat.message({ from, to: 'lobby' }));
    ownScheduled.set(from.id, await schedule(chat, from, [from], { scheduled_delivery_timestamp: FAR }));
  }
  const stream_id = await chat.stream('vault', { by: host, members: [exMember], invite_only: true });
  const message_id = await chat.message({ from: host, to: 'vault', topic: 'gold', content: 'hidden' });
  await host.api
    .unsubscribe({ subscriptions: ['vault'], principals: [exMember.id] })
    .catch(() => chat.owner.api.unsubscribe({ subscriptions: ['vault'], principals: [exMember.id] }));
  await host.api.updatePresence({ status: 'active' });
  const direct_id = await chat.message({ from: host, to: [host], content: 'note to self' });
  const { id: filter_id } = await chat.owner.api.addLinkifier({
    pattern: 'gold',
    url_template: 'https://gold.example',
  });
  const playground = { name: 'Vault', pygments_language: 'Rust', url_template: 'https://vault.example/{code}' };
  const { id: playground_id } = await chat.owner.api.addPlayground(playground);
  const { id: field_id } = await chat.owner.api.createProfileField({ name: 'Vault', field_type: 1 });
  const scheduled_message_id = await schedule(chat, host, stream_id);
  const draft = { to: [stream_id], topic: 'gold', content: 'hi' };
  const [draft_id = 0] = (await host.api.createDrafts({ drafts: [{ type: 'stream', ...draft }] })).ids;
  await host.api.uploadFile({ file: new File(['gold'], 'gold.txt') });
  const token_id = (await host.api.createToken({ name: 'Vault', scopes: ['read'] })).token.id;
  const redirect_uris = ['https://vault.example.com/'];
  const planner = await chat.owner.api.createApplication({ name: 'Vault', redirect_uris, scopes: ['read'] });
  const attachment_id = (await host.api.getAttachments()).attachments[0]?.id ?? 0;
  hidden = {
    attachment_id,
    application_id: planner.application.id,
    draft_id,
    token_id,
    scheduled_message_id,
    stream_id,
    message_id,
    user_id: host.id,
    direct_id,
    filter_id,
    playground_id,
    field_id,
  };
});
afterAll(() => chat.close());

type Id =
  | 'attachment_id'
  | 'application_id'
  | 'draft_id'
  | 'token_id'
  | 'scheduled_message_id'
  | 'stream_id'
  | 'message_id'
  | 'direct_id'
  | 'filter_id'
  | 'playground_id'
  | 'field_id';
interface Case {
  operation: string;
  parameter: string;
  kind: Id;
  list: boolean;
}

/**
 * The kind of object of each id parameter. A parameter that ends in `_id` and is in neither list fails the last test.
 */
const kinds: Record<string, Id[]> = {
  stream_id: ['stream_id'],
  message_id: ['message_id', 'direct_id'],
  messages: ['message_id', 'direct_id'],
  msg_ids: ['message_id', 'direct_id'],
  to: ['stream_id'],
  anchor: [],
  scheduled_message_id: ['scheduled_message_id'],
  attachment_id: ['attachment_id'],
  application_id: ['application_id'],
  draft_id: ['draft_id'],
  token_id: ['token_id'],
  filter_id: ['filter_id'],
  ordered_linkifier_ids: ['filter_id'],
  playground_id: ['playground_id'],
  // Values of profile fields are covered in features/profile-fields/values.test.ts: colleagues can see every field.
  field_id: ['field_id'],
  order: ['field_id'],
};
const notThings = [
  'queue_id',
  'last_event_id',
  'local_id',
  'user_id',
  // Bots are hidden from other organizations and from guests who do not see them: features/bot-admin/bots.test.ts.
  'bot_id',
  'bot_owner_id',
  'notifications_stream_id',
  'signup_notifications_stream_id',
  // Groups are hidden from other organizations only: features/user-groups/foreign.test.ts.
  'user_group_id',
  // Part of the URL of a file; files are hidden as features/uploads/access.test.ts shows.
  'realm_id',
];

const cases: Case[] = Object.entries(table).flatMap(([operation, { params }]) =>
  Object.entries<{ kinds: readonly string[] }>(params).flatMap(([parameter, { kinds: types }]) =>
    (kinds[parameter] ?? []).map((kind) => ({
      operation,
      parameter,
      kind,
      list: types.includes('array') && parameter !== 'to',
    })),
  ),
);

/** Valid values of the other parameters, so that the response depends on the id. */
const others: Record<string, object> = {
  sendMessage: { type: 'stream', topic: 'gold', content: 'hi' },
  createToken: { name: 'Vault', scopes: ['read'] },
  markTopicAsRead: { topic_name: 'gold' },
  updateMessage: { topic: 'silver' },
  deleteTopic: { topic_name: 'gold' },
  updateUserTopic: { topic: 'gold', visibility_policy: 3 },
  updateMutedTopic: { topic: 'gold', op: 'add' },
  matchNarrow: { narrow: [] },
  updateSubscriptionProperty: { property: 'is_muted', value: true },
  scheduleMessage: { type: 'stream', topic: 'gold', content: 'hi', scheduled_delivery_timestamp: FAR },
  updateDraft: { draft: { type: '', to: [], topic: '', content: 'hi' } },
  updateScheduledMessage: { type: 'stream', topic: 'gold', content: 'hi' },
  addReaction: { emoji_name: 'octopus' },
  removeReaction: { emoji_name: 'octopus' },
  updateLinkifier: { pattern: 'silver', url_template: 'https://silver.example' },
  setTyping: { type: 'stream', op: 'start', topic: 'gold' },
};
const flagCases = [
  { op: 'add', flag: 'starred' },
  { op: 'remove', flag: 'starred' },
  { op: 'add', flag: 'read' },
  { op: 'add', flag: 'collapsed' },
];

/** The response with the id replaced. */
async function answer(
  person: TestUser,
  { operation, parameter, list }: Case,
  id: number,
  more: object,
): Promise<unknown> {
  const call = person.api[operation as keyof typeof person.api] as (params: object) => Promise<object>;
  const message_id = own.get(person.id) ?? UNKNOWN;
  const scheduled_message_id = ownScheduled.get(person.id) ?? UNKNOWN;
  const ownIds = {
    updateMessage: { message_id },
    updateScheduledMessage: { scheduled_message_id },
    getSubscriptionStatus: { user_id: person.id },
  }[operation];
  const params = { ...ownIds, ...others[operation], ...more, [parameter]: list ? [id] : id };
  const outcome = await call(params).then(
    (payload) => ({ success: payload }),
    (error: { status?: number; body?: object }) => ({ status: error.status, body: error.body ?? error }),
  );
  return withoutId(outcome, id);
}

function withoutId(value: unknown, id: number): unknown {
  if (value === id) return 'ID';
  if (typeof value === 'string') return value.replace(new RegExp(`\\b${id}\\b`, 'g'), 'ID');
  if (Array.isArray(value)) return value.map((item) => withoutId(item, id));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutId(item, id)]));
}

describe.each(cases)('$operation $parameter ($kind)', (one) => {
  // shows: 4.4.1, 4.7.1, 4.15.3, 7.5
  test.each([
    'a user of another organization',
    'an owner of another organization',
    'an ex-member',
    'a guest who is not in it',
    'a bot of a user outside it',
    'a member who is not in it',
  ])('is unknown to %s', async (who) => {
    const person = identities[who];
    if (!person) throw new Error(who);
    for (const more of one.operation === 'updateMessageFlags' ? flagCases : [{}]) {
      const [seen, unknown] = [
        await answer(person, one, hidden[one.kind], more),
        await answer(person, one, UNKNOWN, more),
      ];
      expect(seen).toEqual(unknown);
    }
  });

  test.each(['a user of another organization', 'an owner of another organization'])(
    'costs %s few statements',
    async (who) => {
      const person = identities[who];
      if (!person) throw new Error(who);
      for (const more of one.operation === 'updateMessageFlags' ? flagCases : [{}]) {
        const statements = await chat.statements(() => answer(person, one, hidden[one.kind], more));
        expect(statements).toBeLessThanOrEqual(STATEMENTS_OF_FOREIGN_IDS);
      }
    },
  );
});

test.each(['getUser', 'getUserPresence'] as const)(
  'a user of another organization is unknown to %s',
  async (operation) => {
    const person = identities['a user of another organization'] as TestUser;
    const [seen, unknown] = await Promise.all(
      [hidden.user_id, UNKNOWN].map((user_id) =>
        person.api[operation]({ user_id }).catch((error) => error.body.msg.replace(String(user_id), 'ID')),
      ),
    );
    expect(seen).toEqual(unknown);
    expect(seen).toContain('There is no user ID');
  },
);

test('a deactivated user gets no response but USER_DEACTIVATED', async () => {
  const dan = await chat.user('dan', { mirrored: false });
  await chat.database.db.execute(`update users set is_active = false where id = ${dan.id}`);
  for (const one of cases) {
    expect(await answer(dan, one, hidden[one.kind], flagCases[0] ?? {})).toMatchObject({
      status: 401,
      body: { code: 'USER_DEACTIVATED' },
    });
  }
});

test('every id parameter of the document is covered', () => {
  const names = Object.values(table).flatMap(({ params }) => Object.keys(params));
  const unwalked = names.filter((name) => name.endsWith('_id') && !(name in kinds) && !notThings.includes(name));
  expect([...new Set(unwalked)]).toEqual([]);
});
