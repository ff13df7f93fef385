// Which messages a change of flags can name: the table of docs/behaviour/flags.md#which-messages.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

let made = 0;
const flagsOf = async (person: TestUser, message_id: number) =>
  (await person.api.getMessage({ message_id })).message.flags;

/** A message that a new user cannot read, and that user. */
const outOfReach: Record<string, () => Promise<{ eve: TestUser; id: number; subscribed: boolean }>> = {
  'that does not exist': async () => ({ eve: await chat.user('eve'), id: 9_000_000_000, subscribed: true }),
  'in a direct conversation of others': async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    return {
      eve: await chat.user('eve', { role: 'owner' }),
      id: await chat.message({ from: ada, to: [ben] }),
      subscribed: true,
    };
  },
  'in a private stream of others': async () => {
    const [ada] = await chat.users('ada');
    const name = `private ${made++}`;
    await chat.stream(name, { by: ada, invite_only: true, history_public_to_subscribers: true });
    return {
      eve: await chat.user('eve', { role: 'owner' }),
      id: await chat.message({ from: ada, to: name }),
      subscribed: false,
    };
  },
  'in a private stream that one has left': async () => {
    const [ada, eve] = await chat.users('ada', 'eve');
    const name = `left ${made++}`;
    await chat.stream(name, { by: ada, members: [eve], invite_only: true });
    const id = await chat.message({ from: ada, to: name });
    await eve.api.unsubscribe({ subscriptions: [name] });
    return { eve, id, subscribed: false };
  },
  'from before one came to a stream with protected history': async () => {
    const [ada, eve] = await chat.users('ada', 'eve');
    const name = `protected ${made++}`;
    await chat.stream(name, { by: ada, invite_only: true });
    const id = await chat.message({ from: ada, to: name });
    await ada.api.subscribe({ subscriptions: [{ name }], principals: [eve.id] });
    return { eve, id, subscribed: true };
  },
  'in a public stream that a guest is not in': async () => {
    const [ada] = await chat.users('ada');
    const name = `public ${made++}`;
    await chat.stream(name, { by: ada });
    return {
      eve: await chat.user('eve', { role: 'guest' }),
      id: await chat.message({ from: ada, to: name }),
      subscribed: false,
    };
  },
  'in a stream that was archived': async () => {
    const [eve] = await chat.users('eve');
    const name = `archived ${made++}`;
    await chat.stream(name, { by: eve, invite_only: true, history_public_to_subscribers: true });
    const id = await chat.message({ from: eve, to: name });
    await eve.api.unsubscribe({ subscriptions: [name] });
    return { eve, id, subscribed: false };
  },
  'of another organization': async () => {
    const { owner } = await chat.otherRealm(`other${made++}`);
    return { eve: await chat.user('eve'), id: await chat.message({ from: owner, to: [owner] }), subscribed: true };
  },
};

test.each(Object.keys(outOfReach))(
  'adding starred or collapsed to a message %s fails the whole request',
  async (kind) => {
    const { eve, id } = await (outOfReach[kind] as () => Promise<{ eve: TestUser; id: number }>)();
    const own = await chat.message({ from: eve, to: [eve] });
    for (const flag of ['starred', 'collapsed'] as const) {
      await expectError(
        'BAD_REQUEST',
        eve.api.updateMessageFlags({ messages: [own, id], op: 'add', flag }),
        new RegExp(`${id}`),
      );
    }
    expect(await flagsOf(eve, own)).toEqual([]);
    expect(await eve.takeEvents('update_message_flags')).toMatchObject(
      kind.includes('left') || kind.includes('archived') ? [{ flag: 'read' }] : [],
    );
  },
);

test.each(Object.keys(outOfReach))(
  'removing starred or collapsed, and adding read, skip a message %s',
  async (kind) => {
    const { eve, id } = await (outOfReach[kind] as () => Promise<{ eve: TestUser; id: number }>)();
    const own = await chat.message({ from: eve, to: [eve] });
    for (const flag of ['starred', 'collapsed'] as const) {
      await eve.api.updateMessageFlags({ messages: [own], op: 'add', flag });
      expect(await eve.api.updateMessageFlags({ messages: [id, own], op: 'remove', flag })).toEqual({
        messages: [own],
      });
    }
    expect(await eve.api.updateMessageFlags({ messages: [id, own], op: 'add', flag: 'read' })).toEqual({
      messages: [own],
    });
  },
);

test.each(Object.keys(outOfReach))(
  'marking as unread a message %s: messages of streams without a subscription are skipped, others fail the request',
  async (kind) => {
    const { eve, id, subscribed } = await (
      outOfReach[kind] as () => Promise<{ eve: TestUser; id: number; subscribed: boolean }>
    )();
    const own = await chat.message({ from: eve, to: [eve] });
    await eve.api.updateMessageFlags({ messages: [own], op: 'add', flag: 'read' });
    const change = eve.api.updateMessageFlags({ messages: [own, id], op: 'remove', flag: 'read' });
    if (subscribed) await expectError('BAD_REQUEST', change, new RegExp(`${id}`));
    else expect(await change).toEqual({ messages: [own] });
    expect(await flagsOf(eve, own)).toEqual(subscribed ? ['read'] : []);
  },
);

test('marking as unread skips a public stream that the user can read without a subscription', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  await chat.stream('square', { by: ada, members: [ben] });
  const id = await chat.message({ from: ada, to: 'square' });
  await ben.api.unsubscribe({ subscriptions: ['square'] });
  expect(await ben.api.updateMessageFlags({ messages: [id], op: 'remove', flag: 'read' })).toEqual({ messages: [] });
  expect(await flagsOf(ben, id)).toEqual(['read']);
  expect(await ben.api.updateMessageFlags({ messages: [id], op: 'add', flag: 'starred' })).toEqual({ messages: [id] });
  expect(await flagsOf(ben, id)).toEqual(['read', 'starred']);
});

test('a star on a message that the user can no longer read cannot be removed until they can read it again', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  await chat.stream('attic', { by: ada, members: [ben], invite_only: true });
  const id = await chat.message({ from: ada, to: 'attic' });
  await ben.api.updateMessageFlags({ messages: [id], op: 'add', flag: 'starred' });
  await ben.api.unsubscribe({ subscriptions: ['attic'] });
  expect(await ben.api.updateMessageFlags({ messages: [id], op: 'remove', flag: 'starred' })).toEqual({ messages: [] });
  await ada.api.subscribe({ subscriptions: [{ name: 'attic' }], principals: [ben.id] });
  expect(await flagsOf(ben, id)).toEqual(['read', 'starred']);
  expect(await ben.api.updateMessageFlags({ messages: [id], op: 'remove', flag: 'starred' })).toEqual({
    messages: [id],
  });
});
