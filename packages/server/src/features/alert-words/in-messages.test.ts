import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';
import { pass, schedule } from '../../../test/scheduling.ts';
import { createStreamFixture } from '../../../test/stream-fixture.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

const watch = ({ api }: TestUser, ...alert_words: string[]) => api.addAlertWords({ alert_words });
const flagsOf = async ({ api }: TestUser, message_id: number) => (await api.getMessage({ message_id })).message.flags;
const alerted = async ({ api }: TestUser) =>
  (
    await api.getMessages({ anchor: 'newest', num_before: 100, num_after: 0, narrow: [['is', 'alerted']] })
  ).messages.map(({ id }) => id);

describe('a message with an alert word of a user', () => {
  // shows: 2.35
  test('has the flag for this user only: in the event, when fetched, and in is:alerted', async () => {
    const [cleo] = await chat.users('cleo');
    const { ada, ben, send, discardEvents } = await createStreamFixture(chat, [cleo]);
    await watch(ben, 'soup', 'the end');
    await watch(cleo, 'bread');
    const plain = await send(ada, 'Wine.');
    await discardEvents();
    const id = await send(ada, 'No SOUP today. The  end.');
    expect(await ben.takeEvents('message')).toMatchObject([{ message: { id }, flags: ['has_alert_word'] }]);
    expect(await cleo.takeEvents('message')).toMatchObject([{ message: { id }, flags: [] }]);
    expect([await flagsOf(ben, id), await flagsOf(cleo, id), await flagsOf(ben, plain)]).toEqual([
      ['has_alert_word'],
      [],
      [],
    ]);
    expect([await alerted(ben), await alerted(cleo)]).toEqual([[id], []]);
  });

  test('has it beside a mention, and for its sender as well', async () => {
    const { ada, ben, send, discardEvents } = await createStreamFixture(chat);
    await watch(ada, 'soup');
    await watch(ben, 'soup');
    await discardEvents();
    const id = await send(ada, `@**${ben.full_name}** soup`);
    expect(await ben.takeEvents('message')).toMatchObject([{ flags: ['mentioned', 'has_alert_word'] }]);
    expect(await flagsOf(ada, id)).toContain('has_alert_word');
  });

  test('has no flag for users who do not receive it, even if they can read it', async () => {
    const [cleo] = await chat.users('cleo');
    const { owner } = await chat.otherRealm('far');
    const { ada, send, name } = await createStreamFixture(chat);
    for (const person of [cleo, owner]) await watch(person, 'soup');
    const id = await send(ada, 'soup');
    expect(await flagsOf(cleo, id)).toEqual(['read', 'historical']);
    await cleo.api.subscribe({ subscriptions: [{ name }] });
    expect(await flagsOf(cleo, id)).toEqual(['read', 'historical']);
    await cleo.api.unsubscribe({ subscriptions: [name] });
    await send(ada, 'more soup');
    expect([await alerted(cleo), await alerted(owner)]).toEqual([[], []]);
  });

  test('has it in direct messages, for each participant with the word', async () => {
    const [ada, ben, cleo, dan] = await chat.users('ada', 'ben', 'cleo', 'dan');
    for (const person of [ben, cleo, dan]) await watch(person, 'soup');
    for (let n = 0; n < 2; n += 1) {
      const id = await chat.message({ from: ada, to: [ben, cleo], content: 'soup?' });
      for (const person of [ben, cleo])
        expect(await person.takeEvents('message')).toMatchObject([{ message: { id }, flags: ['has_alert_word'] }]);
    }
    expect((await alerted(ben)).length).toBe(2);
    expect(await alerted(dan)).toEqual([]);
  });

  test('has it when it was scheduled, by the words that users have when it is sent', async () => {
    const { ada, ben, id, discardEvents } = await createStreamFixture(chat);
    chat.clock.stop();
    await schedule(chat, ada, id, { content: 'soup is ready', topic: 'news' });
    await watch(ben, 'soup');
    await discardEvents();
    await pass(chat, { minutes: 2 });
    expect(await ben.takeEvents('message')).toMatchObject([{ flags: ['has_alert_word'] }]);
  });

  test('has it when the server itself writes the message', async () => {
    const { ada, ben, send, discardEvents } = await createStreamFixture(chat);
    await watch(ben, 'resolved');
    const message_id = await send(ada, 'hello');
    await discardEvents();
    await ada.api.updateMessage({ message_id, topic: '✔ soup', propagate_mode: 'change_all' });
    expect(await ben.takeEvents('message')).toMatchObject([{ flags: expect.arrayContaining(['has_alert_word']) }]);
  });
});

describe('an edit', () => {
  test('sets and clears the flag by the new content, in the event as when fetched', async () => {
    const { ada, ben, send, discardEvents } = await createStreamFixture(chat);
    await watch(ben, 'soup');
    const id = await send(ada, 'hello');
    await discardEvents();
    await ada.api.updateMessage({ message_id: id, content: 'soup' });
    expect(await ben.takeEvents('update_message')).toMatchObject([{ flags: ['has_alert_word'] }]);
    expect(await alerted(ben)).toEqual([id]);
    await ada.api.updateMessage({ message_id: id, content: `@**${ben.full_name}**` });
    expect(await ben.takeEvents('update_message')).toMatchObject([{ flags: ['mentioned'] }]);
    await ada.api.updateMessage({ message_id: id, content: 'soup' });
    expect(await flagsOf(ben, id)).toEqual(['has_alert_word']);
    await ada.api.updateMessage({ message_id: id, content: 'hello' });
    expect([await flagsOf(ben, id), await alerted(ben)]).toEqual([[], []]);
  });

  test('uses the current alert words, and keeps the flags that users set themselves', async () => {
    const { ada, ben, send } = await createStreamFixture(chat);
    await watch(ben, 'soup');
    const id = await send(ada, 'soup and bread');
    await ben.api.updateMessageFlags({ messages: [id], op: 'add', flag: 'starred' });
    await ben.api.removeAlertWords({ alert_words: ['soup'] });
    expect(await flagsOf(ben, id)).toEqual(['starred', 'has_alert_word']);
    await ada.api.updateMessage({ message_id: id, content: 'soup, bread' });
    expect(await flagsOf(ben, id)).toEqual(['starred']);
    await watch(ben, 'bread');
    expect(await flagsOf(ben, id)).toEqual(['starred']);
    await ada.api.updateMessage({ message_id: id, content: 'soup; bread' });
    expect(await flagsOf(ben, id)).toEqual(['starred', 'has_alert_word']);
  });

  test('sets no flag for users who did not receive the message', async () => {
    const [cleo] = await chat.users('cleo');
    const { ada, send, name } = await createStreamFixture(chat);
    await watch(cleo, 'soup');
    const id = await send(ada, 'soup');
    await cleo.api.subscribe({ subscriptions: [{ name }] });
    await ada.api.updateMessage({ message_id: id, content: 'soup!' });
    expect(await flagsOf(cleo, id)).toEqual(['read', 'historical']);
  });

  test('keeps it for users who unsubscribed, as long as the text has their word, in the event as when fetched', async () => {
    const { ada, ben, send, name, discardEvents } = await createStreamFixture(chat);
    await watch(ben, 'soup', 'bread');
    const [id, later] = [await send(ada, 'soup'), await send(ada, 'hello')];
    await ben.api.unsubscribe({ subscriptions: [name] });
    await discardEvents();
    await ada.api.updateMessage({ message_id: id, content: 'soup!' });
    await ada.api.updateMessage({ message_id: later, content: 'bread' });
    expect(await ben.takeEvents('update_message')).toMatchObject([
      { message_id: id, flags: ['read', 'has_alert_word'] },
      { message_id: later, flags: ['read', 'has_alert_word'] },
    ]);
    expect(await alerted(ben)).toEqual([id, later]);
    await ada.api.updateMessage({ message_id: id, content: 'wine' });
    expect([await flagsOf(ben, id), await alerted(ben)]).toEqual([['read'], [later]]);
  });
});

test('the cost of sending does not grow with the alert words of others', async () => {
  const { ada, ben, name } = await createStreamFixture(chat);
  const send = (content: string) => chat.statements(() => chat.message({ from: ada, to: name, content }));
  await send('hello');
  const before = await send('hello');
  await watch(ben, ...Array.from({ length: 200 }, (_, n) => `word ${n}`));
  expect(await send('hello')).toBe(before);
  // The last statement sets the flag.
  expect(await send('word 7')).toBe(before);
});
