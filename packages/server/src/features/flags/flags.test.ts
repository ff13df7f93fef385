import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

const NOTHING = Number.MAX_SAFE_INTEGER;
const flagsOf = async (person: TestUser, message_id: number) =>
  (await person.api.getMessage({ message_id })).message.flags;
const heard = async (person: TestUser) =>
  (await person.takeEvents('update_message_flags')).map(({ id: _, ...event }) => event);

// shows: 4.6.2, 4.6.3
test('an invalid flag is reported before an invalid op, and an invalid op before invalid ids', async () => {
  const [ada] = await chat.users('ada');
  const messages = [NOTHING];
  await expectError(
    'BAD_REQUEST',
    ada.api.updateMessageFlags({ messages, op: 'spin' as 'add', flag: 'dirty' as 'read' }),
    /dirty/,
  );
  await expectError(
    'BAD_REQUEST',
    ada.api.updateMessageFlags({ messages, op: 'spin' as 'add', flag: 'mentioned' as 'read' }),
    /mentioned/,
  );
  await expectError(
    'BAD_REQUEST',
    ada.api.updateMessageFlags({ messages, op: 'spin' as 'add', flag: 'starred' }),
    /spin/,
  );
  await expectError(
    'BAD_REQUEST',
    ada.api.updateMessageFlags({ messages, op: 'add', flag: 'starred' }),
    new RegExp(`${NOTHING}`),
  );
  expect(await heard(ada)).toEqual([]);
});

// shows: 2.29, 2.31, 2.32, 2.34, 2.36
test('the flags that only the server sets cannot be set', async () => {
  const [ada] = await chat.users('ada');
  const id = await chat.message({ from: ada, to: [ada] });
  const stored = [
    'mentioned',
    'wildcard_mentioned',
    'stream_wildcard_mentioned',
    'topic_wildcard_mentioned',
    'has_alert_word',
    'historical',
  ];
  for (const flag of stored) {
    for (const op of ['add', 'remove'] as const) {
      const setting = ada.api.updateMessageFlags({ messages: [id], op, flag: flag as 'read' });
      await expectError('BAD_REQUEST', setting, new RegExp(flag));
    }
  }
  expect(await flagsOf(ada, id)).toEqual([]);
});

// shows: 4.6.1, 4.6.2, 4.6.3
test('the error names a parameter that is missing or no list of integers', async () => {
  const [ada] = await chat.users('ada');
  const headers = {
    Authorization: `Basic ${btoa(`${ada.email}:${ada.apiKey}`)}`,
    'Content-Type': 'application/x-www-form-urlencoded',
  };
  for (const [body, code, name] of [
    ['messages=7&op=add&flag=read', 'BAD_REQUEST', 'messages'],
    ['messages=["7"]&op=add&flag=read', 'BAD_REQUEST', 'messages'],
    ['messages=[1.5]&op=add&flag=read', 'BAD_REQUEST', 'messages'],
    ['op=add&flag=read', 'REQUEST_VARIABLE_MISSING', 'messages'],
    ['messages=[]&flag=read', 'REQUEST_VARIABLE_MISSING', 'op'],
    ['messages=[]&op=add', 'REQUEST_VARIABLE_MISSING', 'flag'],
  ] as const) {
    const answer = await chat.fetch('/api/v1/messages/flags', { method: 'POST', headers, body });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ result: 'error', code, msg: expect.stringContaining(name) });
  }
});

// shows: 2.27, 3.2, 3.3
test.each(['starred', 'collapsed'] as const)(
  '%s is set and cleared, and its owner receives an event with the ids that changed',
  async (flag) => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const [one, two, three] = [await note(ada, ben), await note(ada, ben), await note(ada, ben)];

    expect(await ben.api.updateMessageFlags({ messages: [two], op: 'add', flag })).toEqual({ messages: [two] });
    expect(await ben.api.updateMessageFlags({ messages: [three, two, one, three], op: 'add', flag })).toEqual({
      messages: [three, one],
    });
    expect(await flagsOf(ben, one)).toEqual([flag]);
    expect(await flagsOf(ada, one)).toEqual([]);
    expect(await ben.api.updateMessageFlags({ messages: [one, two, one], op: 'remove', flag })).toEqual({
      messages: [one, two],
    });
    expect(await ben.api.updateMessageFlags({ messages: [two], op: 'remove', flag })).toEqual({ messages: [] });
    expect(await flagsOf(ben, one)).toEqual([]);
    expect(await flagsOf(ben, three)).toEqual([flag]);

    const event = (op: string, messages: number[]) => ({
      type: 'update_message_flags',
      op,
      operation: op,
      flag,
      messages,
      all: false,
    });
    expect(await heard(ben)).toEqual([
      event('add', [two]),
      event('add', [three, one]),
      event('remove', [one, two]),
      event('remove', []),
    ]);
    expect(await heard(ada)).toEqual([]);
  },
);

test('an empty list is valid, and the event is emitted though nothing changed', async () => {
  const [ada] = await chat.users('ada');
  for (const flag of ['read', 'starred', 'collapsed'] as const) {
    for (const op of ['add', 'remove'] as const) {
      expect(await ada.api.updateMessageFlags({ messages: [], op, flag })).toEqual({ messages: [] });
      const details = flag === 'read' && op === 'remove' ? { message_details: {} } : {};
      expect(await heard(ada)).toEqual([
        { type: 'update_message_flags', op, operation: op, flag, messages: [], all: false, ...details },
      ]);
    }
  }
});

// shows: 3.3
test('the state of a new queue has the starred messages in ascending order, and no collapsed ones', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const [one, two, three] = [await note(ada, ben), await note(ada, ben), await note(ada, ben)];
  await ben.api.updateMessageFlags({ messages: [three, one], op: 'add', flag: 'starred' });
  await ben.api.updateMessageFlags({ messages: [two], op: 'add', flag: 'collapsed' });
  expect((await ben.api.registerQueue()).starred_messages).toEqual([one, three]);
  expect((await ada.api.registerQueue()).starred_messages).toEqual([]);
});

// shows: 2.33
test('starring or collapsing a message that the user did not receive makes it historical and read', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  for (const flag of ['starred', 'collapsed'] as const) {
    await chat.stream(`garden ${flag}`, { by: ada });
    const id = await chat.message({ from: ada, to: `garden ${flag}` });
    expect(await flagsOf(ben, id)).toEqual(['read', 'historical']);
    expect(await ben.api.updateMessageFlags({ messages: [id], op: 'add', flag })).toEqual({ messages: [id] });
    expect(await flagsOf(ben, id)).toEqual(['read', flag, 'historical']);
    expect((await everything(ben)).map((message) => message.id)).toContain(id);
    await ben.api.updateMessageFlags({ messages: [id], op: 'remove', flag });
    expect(await flagsOf(ben, id)).toEqual(['read', 'historical']);
    expect(
      (await everything(ben)).map((message) => message.id),
      'the message stays in the history of the user',
    ).toContain(id);
  }
  expect((await ben.api.registerQueue()).unread_msgs?.count).toBe(0);
});

// shows: 4.6.4
test('concurrent requests report each message once', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const messages = [await note(ada, ben), await note(ada, ben), await note(ada, ben)];
  for (const [op, flag] of [
    ['add', 'read'],
    ['add', 'starred'],
    ['remove', 'read'],
    ['remove', 'starred'],
  ] as const) {
    const answers = await Promise.all([1, 2, 3, 4].map(() => ben.api.updateMessageFlags({ messages, op, flag })));
    expect(answers.flatMap((answer) => answer.messages)).toEqual(messages);
  }
});

const note = (from: TestUser, to: TestUser) => chat.message({ from, to: [to] });
const everything = async (person: TestUser) =>
  (await person.api.getMessages({ anchor: 'newest', num_before: 100, num_after: 0 })).messages;
