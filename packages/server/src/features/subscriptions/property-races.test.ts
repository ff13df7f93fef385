import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';
import { startSecondProcess } from '../../../test/second-process.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

let made = 0;

/** A new user with subscriptions to new streams. */
async function subscriber(count: number, mirrored = true): Promise<{ ada: TestUser; names: string[]; ids: number[] }> {
  const ada = await chat.user('ada', { mirrored });
  const names = Array.from({ length: count }, () => `stream ${made++}`);
  await ada.api.subscribe({ subscriptions: names.map((name) => ({ name })) });
  const ids = (await ada.api.getSubscriptions()).subscriptions.map(({ stream_id }) => stream_id);
  await ada.takeEvents();
  return { ada, names, ids };
}

test('a request takes the same few statements for any number of items', async () => {
  const { ada, ids } = await subscriber(200, false);
  const changing = (stream_ids: number[]) =>
    chat.statements(() =>
      ada.api.updateSubscriptionProperties({
        subscription_data: stream_ids.flatMap((stream_id) => [
          { stream_id, property: 'is_muted', value: true },
          { stream_id, property: 'color', value: '#76ce90' },
        ]),
      }),
    );
  const one = await changing(ids.slice(0, 1));
  expect(await changing(ids)).toBe(one);
  expect(one).toBeLessThanOrEqual(6);
  const { subscriptions } = await ada.api.getSubscriptions();
  expect(new Set(subscriptions.map(({ is_muted, color }) => `${is_muted} ${color}`))).toEqual(
    new Set(['true #76ce90']),
  );
});

test('of several concurrent requests the last one wins, and is emitted last', async () => {
  const { ada, ids } = await subscriber(4);
  const second = chat.database.url === undefined ? undefined : await startSecondProcess(chat);
  const doors = second ? [ada.api, second.apiOf(ada)] : [ada.api];
  await Promise.all(
    Array.from({ length: 24 }, (_, n) => {
      const value = `#${String(n).padStart(3, '0')}`;
      const items = ids.map((stream_id) => ({ stream_id, property: 'color', value }) as const);
      const subscription_data = n % 2 === 0 ? items : items.toReversed();
      return doors[n % doors.length]?.updateSubscriptionProperties({ subscription_data });
    }),
  );
  const heard = await ada.takeEvents('subscription');
  expect(heard).toHaveLength(24 * ids.length);
  const last = heard.at(-1);
  const { subscriptions } = await ada.api.getSubscriptions();
  for (const { color } of subscriptions) expect(color).toBe(last && 'value' in last && last.value);
  await second?.close();
});

test('when a stream is left and changed concurrently, the events agree with the final state', async () => {
  const { ada, names, ids } = await subscriber(6);
  const shuffled = ids.toReversed();
  for (let round = 0; round < 5; round++) {
    const changes = shuffled.map((stream_id, n) =>
      ada.api
        .updateSubscriptionProperties({
          subscription_data: [
            { stream_id, property: 'is_muted', value: (round + n) % 2 === 0 },
            { stream_id: ids[n] ?? 0, property: 'color', value: `#${round}${n}0` },
          ],
        })
        .catch((error: { code?: string }) => expect(error.code).toBe('BAD_REQUEST')),
    );
    await Promise.all([...changes, ada.api.unsubscribe({ subscriptions: names })]);
    const again = ada.api.subscribe({ subscriptions: names.map((name) => ({ name })) });
    const more = ids.map((stream_id) =>
      ada.api
        .updateSubscriptionProperty({ stream_id, property: 'pin_to_top', value: round % 2 === 0 })
        .catch((error: { code?: string }) => expect(error.code).toBe('BAD_REQUEST')),
    );
    await Promise.all([again, ...more]);
  }
});
