// Statements of the operations that a client sends while it opens its first page, and then again and again. A number may only fall: each
// statement is a round trip, which costs both processes more than most of what it does.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from './chat.ts';

let chat: Chat;
let ada: TestUser;
let ben: TestUser;
let stream_id: number;
beforeAll(async () => {
  chat = await startChat();
  [ada, ben] = [await quiet('ada'), await quiet('ben')];
  stream_id = await chat.stream('kitchen', { by: ada, members: [ben] });
});
afterAll(() => chat.close());

const quiet = (name: string) => chat.user(name, { mirrored: false });
const send = (from: TestUser) =>
  from.api.sendMessage({ type: 'stream', to: 'kitchen', topic: 'soup', content: 'Soup is **ready**.' });

/** A message that Ben has not read, and what he does about it. */
const aboutMessage = (act: (message_id: number) => Promise<unknown>) => async () => {
  const { id } = await send(ada);
  return () => act(id);
};
const always = (act: () => Promise<unknown>) => async () => act;

/** Polls a new queue once, after `act`. */
const pollAfter = (act: () => Promise<unknown>) => async () => {
  const { queue_id, last_event_id } = await ben.api.registerQueue({ fetch_event_types: [] });
  await act();
  return () => ben.api.getEvents({ queue_id, last_event_id, dont_block: true });
};

type Prepare = () => Promise<() => Promise<unknown>>;

const statements: Record<string, readonly [most: number, prepare: Prepare]> = {
  'GET /server_settings': [1, always(() => ada.api.getServerSettings())],
  'POST /register': [6, always(() => ben.api.registerQueue({}))],
  'POST /register without state': [4, always(() => ben.api.registerQueue({ fetch_event_types: [] }))],
  'GET /users/me': [1, always(() => ben.api.getOwnUser())],
  'GET /users': [2, always(() => ben.api.getUsers())],
  'GET /streams': [3, always(() => ben.api.getStreams())],
  'GET /users/me/subscriptions': [3, always(() => ben.api.getSubscriptions())],
  'GET /users/me/{stream_id}/topics': [3, always(() => ben.api.getStreamTopics({ stream_id }))],
  'GET /messages': [2, always(() => ben.api.getMessages({ anchor: 'newest', num_before: 50, num_after: 0 }))],
  'GET /messages at the first unread': [
    3,
    always(() => ben.api.getMessages({ anchor: 'first_unread', num_before: 50, num_after: 50 })),
  ],
  'POST /messages to a stream': [4, always(() => send(ada))],
  'POST /messages to people': [
    4,
    always(() => ada.api.sendMessage({ type: 'direct', to: [ben.id], content: 'Soup is **ready**.' })),
  ],
  'POST /messages/flags: read': [
    4,
    aboutMessage((id) => ben.api.updateMessageFlags({ messages: [id], op: 'add', flag: 'read' })),
  ],
  'POST /messages/flags: starred': [
    5,
    aboutMessage((id) => ben.api.updateMessageFlags({ messages: [id], op: 'add', flag: 'starred' })),
  ],
  'POST /mark_stream_as_read': [5, aboutMessage(() => ben.api.markStreamAsRead({ stream_id }))],
  'POST /messages/{message_id}/reactions': [
    10,
    aboutMessage((id) => ben.api.addReaction({ message_id: id, emoji_name: 'heart' })),
  ],
  'POST /typing in a stream': [
    4,
    always(() => ben.api.setTyping({ type: 'stream', op: 'start', stream_id, topic: 'soup' })),
  ],
  'POST /typing to people': [3, always(() => ben.api.setTyping({ op: 'start', to: [ada.id] }))],
  'POST /users/me/presence': [3, always(() => ben.api.updatePresence({ status: 'active' }))],
  'GET /realm/presence': [2, always(() => ben.api.getPresences())],
  'GET /events without news': [2, pollAfter(async () => {})],
  'GET /events with a message': [4, pollAfter(() => send(ada))],
};

test.each(Object.entries(statements))('%s takes its number of statements', async (_name, [most, prepare]) => {
  // A server looks up more for the first request of an organization. It is counted too, so that it does not leave out what the lease of
  // callers spares after many requests.
  await chat.statements(await prepare());
  const act = await prepare();
  expect(await chat.statements(act)).toBe(most);
});
