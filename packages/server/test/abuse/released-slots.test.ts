// Slots of requests and bytes of quotas: the server releases what a request holds, however the request ends.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Chat, TestUser } from '../chat.ts';
import { loginOf } from '../files.ts';
import { form, type RequestKind, requestKinds, toRequest } from '../fixtures/request-kinds.ts';
import { startSlotChat } from '../fixtures/slot-chat.ts';
import { countHeld, expectNothingHeld, openSocket, readStart } from '../fixtures/sockets.ts';

let chat: Chat;
let ada: TestUser;
let targets: Record<RequestKind, Buffer>;
beforeAll(async () => {
  ({ chat, ada, targets } = await startSlotChat());
});
afterAll(() => chat.close());

describe.each(requestKinds)('%s', (name) => {
  const bytes = () => targets[name];

  test('gives back what it holds, at whichever statement its client leaves', async () => {
    let [seen, at] = [0, 0];
    do {
      at++;
      seen = 0;
      await chat.statements(
        () => readStart(chat.port, bytes()),
        () => {
          if (++seen === at) chat.closeConnections();
        },
      );
      await expectNothingHeld(chat);
    } while (seen >= at);
    expect(await readStart(chat.port, bytes())).toMatch(/^HTTP\/1.1 \d/);
    await expectNothingHeld(chat);
  });

  test('gives back what it holds behind a poll that waits, also if its response is never sent', async () => {
    const { queue_id, last_event_id } = await ada.api.registerQueue({ fetch_event_types: [], event_types: ['realm'] });
    const poll = `GET /api/v1/events?${form({ queue_id, last_event_id: String(last_event_id) })}`;
    const socket = await openSocket(
      chat.port,
      Buffer.concat([toRequest(chat, poll, { login: loginOf(ada) }), bytes()]),
    );
    // The response is written, and waits for that of the poll.
    await expect.poll(() => chat.app.responseBytes.total, { timeout: 15_000 }).toBeGreaterThan(0);
    await expect.poll(() => countHeld(chat).running).toBe(0);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    chat.closeConnections();
    await closed;
    await expectNothingHeld(chat);
  });

  test('gives back what it holds if its client sends half of it', async () => {
    const socket = await openSocket(chat.port, bytes().slice(0, -1));
    await new Promise((resolve) => setTimeout(resolve, 20));
    socket.destroy();
    await expectNothingHeld(chat);
  });
});
