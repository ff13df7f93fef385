// The checks of docs/behaviour/messages.md#order-of-checks-when-editing in their order, from access to mentions.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { createStreamFixture, type StreamFixture } from '../../../test/stream-fixture.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

type Settings = NonNullable<Parameters<TestUser['api']['updateRealm']>[0]>;
type Change = Omit<Parameters<TestUser['api']['updateMessage']>[0], 'message_id'>;

/** Applies settings of the organization for the duration of `work`. */
async function under(settings: Settings, work: () => Promise<unknown>): Promise<void> {
  const before = await chat.owner.api.registerQueue({ event_types: [], fetch_event_types: ['realm'] });
  const known = before as unknown as Record<string, unknown>;
  const undo = Object.keys(settings).map((name) => [name, known[`realm_${name}`] ?? 'unlimited']);
  await chat.owner.api.updateRealm(settings);
  try {
    await work();
  } finally {
    await chat.owner.api.updateRealm(Object.fromEntries(undo));
  }
}

const tooLong = 'x'.repeat(10_001);
const noEditing = { allow_message_editing: false };
const noTopics = { edit_topic_policy: 2 } as const;
const noTime = { message_content_edit_limit_seconds: 60 };
const noMoves = { move_messages_within_stream_limit_seconds: 60 };

const unknown = /no message/;
const nothing = /nothing to change/;
const direct = /direct message/;

/** Requests by Ben, who wrote `own`; `other` is Ada's, and `note` a direct message of his to her. */
type Row = [
  title: string,
  target: 'unknown' | 'own' | 'other' | 'note',
  change: Change,
  errorResponse: RegExp,
  settings?: Settings,
];

const alone: Row[] = [
  ['1 a message that does not exist', 'unknown', { content: 'hi' }, unknown],
  ['2 content, where editing is disabled', 'own', { content: 'hi' }, /content/, noEditing],
  ['3 no change at all', 'own', {}, nothing],
  ['3 the topic that it has', 'own', { topic: ' soup ' }, nothing],
  ['3 no topic for a direct message, which has none', 'note', { topic: ' ' }, nothing],
  ['4 a topic for a direct message', 'note', { topic: 'stew' }, direct],
  ['4 a stream for a direct message', 'note', { stream_id: 1 }, direct],
  ['5 an unknown propagate_mode', 'own', { topic: 'stew', propagate_mode: 'change_some' as never }, /propagate_mode/],
  ['5 several messages for one text', 'own', { content: 'hi', propagate_mode: 'change_all' }, /propagate_mode/],
  ['5 later messages for one text', 'own', { content: 'hi', propagate_mode: 'change_later' }, /propagate_mode/],
  ['6 a blank topic', 'own', { topic: ' ' }, /topic.*blank/],
  ['6 a topic with a forbidden character', 'own', { topic: 'so\u0007up' }, /topic.*position 3/],
  ['6 a topic of 61 characters', 'own', { topic: 'x'.repeat(61) }, /topic.*60/],
  ['7 words and a stream', 'own', { content: 'hi', stream_id: 1 }, /content, stream_id/],
  ['8 content of another user', 'other', { content: 'hi' }, /only its sender/],
  [
    '9 a topic, where only administrators change those',
    'own',
    { topic: 'stew' },
    /permission to change topics/,
    noTopics,
  ],
  ['10 words after the time for it', 'own', { content: 'hi' }, /time/, noTime],
  ['11 more than 10000 characters', 'own', { content: tooLong }, /content.*10000/],
];

const both: Row[] = [
  ['1 before 2: unknown, where editing is disabled', 'unknown', { content: 'hi' }, unknown, noEditing],
  ['1 before 3: unknown and unchanged', 'unknown', {}, unknown],
  [
    '2 before 4: content and a topic for a direct message, where editing is disabled',
    'note',
    { content: 'hi', topic: 'stew' },
    /cannot be edited/,
    noEditing,
  ],
  ['3 before 5: several messages for nothing', 'own', { propagate_mode: 'change_all' }, nothing],
  ['3 before 5: several messages for the same topic', 'own', { topic: 'soup', propagate_mode: 'change_all' }, nothing],
  ['4 before 6: an invalid topic for a direct message', 'note', { topic: 'so\u0007up' }, direct],
  ['4 before 7: words and a stream for a direct message', 'note', { content: 'hi', stream_id: 1 }, direct],
  [
    '5 before 8: several messages with content of another user',
    'other',
    { content: 'hi', propagate_mode: 'change_all' },
    /propagate_mode/,
  ],
  [
    '6 before 7: an invalid topic with content and a stream',
    'own',
    { topic: ' ', content: 'hi', stream_id: 1 },
    /topic.*blank/,
  ],
  ['7 before 8: content of another user with a stream', 'other', { content: 'hi', stream_id: 1 }, /content, stream_id/],
  [
    '8 before 9: content of another user with a topic, where only administrators change those',
    'other',
    { content: 'hi', topic: 'stew' },
    /only its sender/,
    noTopics,
  ],
  [
    '9 before 10: a topic so, with words too late',
    'own',
    { content: 'hi', topic: 'stew' },
    /change topics/,
    { ...noTopics, ...noTime },
  ],
  ['10 before 11: words too late and too many', 'own', { content: tooLong }, /time/, noTime],
  ['11 before 13: too many words with a topic too late', 'own', { content: tooLong, topic: 'stew' }, /10000/, noMoves],
];

describe('a change fails', () => {
  let room: StreamFixture;
  let ids: Record<Row[1], number>;
  beforeAll(async () => {
    room = await createStreamFixture(chat);
    const { ada, ben, send } = room;
    const note = await chat.message({ from: ben, to: [ada] });
    ids = { unknown: 987_654, own: await send(ben), other: await send(ada), note };
    chat.clock.advance({ seconds: 61 });
  });

  // shows: 4.4.16, 4.4.23, 7.2
  test.each([...alone, ...both])(
    'with the first error: %s',
    async (_title, target, change, errorResponse, settings = {}) => {
      const message_id = ids[target];
      await under(settings, () =>
        expectError('BAD_REQUEST', room.ben.api.updateMessage({ message_id, ...change }), errorResponse),
      );
      if (target === 'unknown') return;
      const { message, raw_content } = await room.ben.api.getMessage({ message_id });
      expect([raw_content, message.subject, message.edit_history]).toEqual([
        'hello',
        target === 'note' ? '' : 'soup',
        undefined,
      ]);
    },
  );

  test('and no event is emitted', async () => {
    expect(await room.ada.takeEvents('update_message', 'delete_message')).toEqual([]);
  });
});

// shows: 4.4.23
test("administrators and owners of bots cannot edit the content of others' messages", async () => {
  const { ben, name, send } = await createStreamFixture(chat);
  const robot = await chat.user('robot', { bot_of: ben });
  const sent = await send(ben);
  const posted = await chat.message({ from: robot, to: name });
  for (const role of ['moderator', 'admin', 'owner'] as const) {
    const person = await chat.user('iago', { role });
    await expectError('BAD_REQUEST', person.api.updateMessage({ message_id: sent, content: 'x' }), /sender/);
    expect((await person.api.getMessage({ message_id: sent })).raw_content).toBe('hello');
  }
  await expectError('BAD_REQUEST', ben.api.updateMessage({ message_id: posted, content: 'x' }), /sender/);
  await robot.api.updateMessage({ message_id: posted, content: 'beep' });
  expect((await ben.api.getMessage({ message_id: posted })).raw_content).toBe('beep');
});

test('senders need the permission to change the topic of their own messages', async () => {
  const { ada, ben, send } = await createStreamFixture(chat);
  const moderator = await chat.user('mod', { role: 'moderator' });
  const message_id = await send(ben);
  await under({ edit_topic_policy: 4 }, async () => {
    await expectError('BAD_REQUEST', ben.api.updateMessage({ message_id, topic: 'stew' }), /topic/);
    await ben.api.updateMessage({ message_id, topic: 'soup', content: 'leek' });
    await moderator.api.updateMessage({ message_id, topic: 'stew' });
  });
  expect((await ada.api.getMessage({ message_id })).message).toMatchObject({ subject: 'stew', content: '<p>leek</p>' });
});

// shows: 4.4.16
test('with message editing disabled, topics can still be changed', async () => {
  const { ben, send } = await createStreamFixture(chat);
  const message_id = await send(ben);
  await under(noEditing, () => ben.api.updateMessage({ message_id, topic: 'stew' }));
  expect((await ben.api.getMessage({ message_id })).message.subject).toBe('stew');
});

test('an empty topic for a direct message is ignored', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const message_id = await chat.message({ from: ada, to: [ben] });
  await ada.api.updateMessage({ message_id, topic: '', content: 'leek' });
  expect((await ben.api.getMessage({ message_id })).raw_content).toBe('leek');
});

test('the current stream of the message is accepted, and moves nothing', async () => {
  const { ada, ben, id, send, discardEvents } = await createStreamFixture(chat);
  const message_id = await send(ada);
  await discardEvents();
  await ben.api.updateMessage({ message_id, stream_id: id, propagate_mode: 'change_all' });
  expect(await ada.takeEvents()).toEqual([]);
  expect((await ben.api.getMessage({ message_id })).message).not.toHaveProperty('last_edit_timestamp');
});
