import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';
import { onPostgres } from '../../../test/database.ts';
import { runInLockOrder } from '../../../test/lock-order.ts';
import { copyScheduled, deliverAll, inSeconds, schedule, scheduledBy } from '../../../test/scheduling.ts';
import { startSecondProcess } from '../../../test/second-process.ts';
import { createStreamFixture } from '../../../test/stream-fixture.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
  chat.clock.stop();
});
afterAll(() => chat.close());

const contents = async (person: TestUser) => (await person.takeEvents('message')).map(({ message }) => message.content);

/** A user's message that is due and not sent. */
async function due() {
  const here = await createStreamFixture(chat);
  const id = await schedule(chat, here.ada, here.id);
  await here.discardEvents();
  chat.clock.advance({ seconds: 61 });
  return { ...here, waiting: id };
}

// An embedded database runs one transaction at a time, so no request can wait for a lock.
describe.runIf(onPostgres)('in the order of their locks', () => {
  test('an edit before the delivery is what is sent, once', async () => {
    const { ada, ben, waiting } = await due();
    const time = inSeconds(chat, 60);
    const edit = () =>
      ada.api.updateScheduledMessage({
        scheduled_message_id: waiting,
        content: 'new',
        scheduled_delivery_timestamp: time,
      });
    const [edited] = await runInLockOrder(chat, [edit, () => deliverAll(chat)]);
    expect(edited).toMatchObject({ status: 'fulfilled' });
    expect(await contents(ben)).toEqual([]);
    chat.clock.advance({ seconds: 61 });
    await deliverAll(chat);
    expect(await contents(ben)).toEqual(['<p>new</p>']);
  });

  test('an edit after the delivery fails, and the sent message stays as it was', async () => {
    const { ada, ben, waiting } = await due();
    const edit = () => ada.api.updateScheduledMessage({ scheduled_message_id: waiting, content: 'new' });
    const [, edited] = await runInLockOrder(chat, [() => deliverAll(chat), edit]);
    expect(edited).toMatchObject({
      status: 'rejected',
      reason: { body: { msg: expect.stringMatching(/sent already/) } },
    });
    expect(await contents(ben)).toEqual(['<p>later</p>']);
  });

  test('a message that is deleted before the delivery is not sent; a deletion after it fails', async () => {
    const first = await due();
    const remove = ({ ada, waiting }: typeof first) =>
      ada.api.deleteScheduledMessage({ scheduled_message_id: waiting });
    const [deleted] = await runInLockOrder(chat, [() => remove(first), () => deliverAll(chat)]);
    expect(deleted).toMatchObject({ status: 'fulfilled' });
    await deliverAll(chat);
    expect(await contents(first.ben)).toEqual([]);
    const second = await due();
    const [, errorResponse] = await runInLockOrder(chat, [() => deliverAll(chat), () => remove(second)]);
    expect(errorResponse).toMatchObject({ status: 'rejected', reason: { status: 400 } });
    expect(await contents(second.ben)).toEqual(['<p>later</p>']);
  });

  test('the message of an author who is removed from a private stream before the delivery fails', async () => {
    const { ada, ben, id, name, discardEvents } = await createStreamFixture(chat, [], { invite_only: true });
    await schedule(chat, ben, id);
    await discardEvents();
    chat.clock.advance({ seconds: 61 });
    const leave = () => chat.owner.api.unsubscribe({ subscriptions: [name], principals: [ben.id] });
    await runInLockOrder(chat, [leave, () => deliverAll(chat)]);
    expect(await contents(ada)).toEqual([]);
    await deliverAll(chat);
    expect(await scheduledBy(ben)).toMatchObject([{ failed: true }]);
  });
});

describe('concurrently', () => {
  test('several deliveries send each message once', async () => {
    const { ben, ada, id } = await createStreamFixture(chat);
    const eve = await chat.user('eve', { mirrored: false });
    for (const from of [ada, ben, eve]) await schedule(chat, from, id, { content: from.name });
    await copyScheduled(chat, await schedule(chat, eve, id, { content: '0' }), 20);
    await ben.takeEvents();
    chat.clock.advance({ seconds: 61 });
    await Promise.all([1, 2, 3].map(() => deliverAll(chat)));
    await deliverAll(chat);
    const heard = await contents(ben);
    expect([...heard].sort()).toEqual([...new Set(heard)].sort());
    expect(heard).toHaveLength(24);
    expect(heard.filter((text) => /\d/.test(text)).map((text) => text.replaceAll(/\D/g, ''))).toEqual(
      Array.from({ length: 21 }, (_, n) => String(n)),
    );
  });

  test.runIf(onPostgres)('two processes send each message once, and in order', async () => {
    const { ben, id } = await createStreamFixture(chat);
    const other = await startSecondProcess(chat);
    const eve = await chat.user('eve', { mirrored: false });
    await copyScheduled(chat, await schedule(chat, eve, id, { content: '0' }), 60);
    chat.clock.advance({ seconds: 61 });
    while ((await scheduledBy(eve)).length > 0) await Promise.all([deliverAll(chat), deliverAll(other)]);
    const heard = (await contents(ben)).map((text) => text.replaceAll(/\D/g, ''));
    expect(heard).toEqual(Array.from({ length: 61 }, (_, n) => String(n)));
    await other.close();
  });
});
