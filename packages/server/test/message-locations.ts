// The conversation and topic of each message as a client knows them from events alone: events of moves are consistent
// if they end with the state of the server.
import { type Calls, ParleyError } from '@parley/client';
import { expect } from 'vitest';
import type { TestUser } from './chat.ts';
import type { Room } from './rooms.ts';

/** Stream and topic of each message. */
type MessageLocations = ReadonlyMap<number, string>;
type MessageLocationEvent = Awaited<ReturnType<Calls['getEvents']>>['events'][number];

const placed = (stream_id: number | undefined, topic: string | undefined) => `${stream_id} ${topic}`;
const streamOf = (location: string | undefined) => Number(location?.split(' ')[0]);
const topicOf = (location: string | undefined) => location?.slice(location.indexOf(' ') + 1);

function applyToLocations(locations: MessageLocations, event: MessageLocationEvent): MessageLocations {
  const next = new Map(locations);
  if (event.type === 'message') next.set(event.message.id, placed(event.message.stream_id, event.message.subject));
  if (event.type === 'delete_message') for (const id of event.message_ids) next.delete(id);
  if (event.type === 'update_message')
    for (const id of event.message_ids) {
      const was = next.get(id);
      expect(was, `message ${id} is present before the move`).toBeDefined();
      next.set(id, placed(event.new_stream_id ?? streamOf(was), event.subject ?? topicOf(was)));
    }
  return next;
}

/** All messages in these rooms that a user can read, page by page. */
export async function listMessageLocations({ api }: TestUser, rooms: readonly Room[]): Promise<MessageLocations> {
  const locations = new Map<number, string>();
  for (const { id } of rooms)
    for (let anchor: number | 'oldest' = 'oldest'; ; ) {
      const include_anchor = anchor === 'oldest';
      const page = {
        anchor,
        include_anchor,
        num_before: 0,
        num_after: 5000,
        narrow: [['stream', id] as ['stream', number]],
      };
      const { messages, found_newest } = await api.getMessages(page);
      for (const one of messages) {
        expect(locations.has(one.id), `message ${one.id} is in one conversation only`).toBe(false);
        locations.set(one.id, placed(one.stream_id, one.subject));
      }
      anchor = messages.at(-1)?.id ?? 0;
      if (found_newest) break;
    }
  return locations;
}

/** Follows a user's events from now on. The rooms must not change meanwhile. */
export async function followLocations(person: TestUser, rooms: readonly Room[]) {
  const { api } = person;
  const event_types = ['message', 'update_message', 'delete_message'] as const;
  const { queue_id, last_event_id } = await api.registerQueue({ event_types });
  let [last, locations] = [last_event_id, await listMessageLocations(person, rooms)];
  return {
    /** Applies all pending events, and asserts that they lead to the present state. Returns it. */
    async catchesUp(): Promise<MessageLocations> {
      for (;;) {
        const { events } = await api.getEvents({ queue_id, last_event_id: last, dont_block: true });
        if (events.length === 0) break;
        for (const event of events) locations = applyToLocations(locations, event);
        last = events.at(-1)?.id ?? last;
      }
      const now = await listMessageLocations(person, rooms);
      expect(new Map([...locations].toSorted(([one], [other]) => one - other))).toEqual(
        new Map([...now].toSorted(([one], [other]) => one - other)),
      );
      return now;
    },
  };
}

/** Runs requests concurrently. Each succeeds or fails as documented; returns whether it succeeded. */
export async function runConcurrently(things: readonly (() => Promise<unknown>)[]): Promise<boolean[]> {
  const results = await Promise.allSettled(things.map((thing) => thing()));
  return results.map((result) => {
    if (result.status === 'fulfilled') return true;
    expect(result.reason).toBeInstanceOf(ParleyError);
    expect(result.reason).toMatchObject({ status: 400 });
    return false;
  });
}
