// Requests of classes with `serial` in `x-budgets` of the document.

import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { computeAdmissionLimits } from '../../src/core/admission-limits.ts';
import { type Chat, expectError, startChat, type TestUser } from '../chat.ts';
import { onPostgres } from '../database.ts';
import { loginOf } from '../files.ts';
import { toRequest } from '../fixtures/request-kinds.ts';
import { limits, patient } from '../fixtures/slot-chat.ts';
import { expectNothingHeld, openSocket } from '../fixtures/sockets.ts';
import { countLockWaits } from '../lock-order.ts';
import { send } from './raw-request.ts';

const PAGE = { anchor: 'newest', num_before: 5, num_after: 0 } as const;
const GET_PAGE = `GET /api/v1/messages?${new URLSearchParams(Object.entries(PAGE).map(([name, value]) => [name, `${value}`]))}`;

let chat: Chat;
let ada: TestUser;
let ben: TestUser;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true, admissionLimits: patient });
  [ada, ben] = await chat.users('ada', 'ben');
});
afterAll(() => chat.close());

let release = () => {};
let held: Promise<unknown> = Promise.resolve();
let sent: Promise<unknown>[] = [];
afterEach(async () => {
  release();
  await held;
  await Promise.all(sent);
  sent = [];
  await expectNothingHeld(chat);
});

/** Keeps all reads and writes of messages waiting until the test ends. */
const blockMessages = () => block(sql`lock table messages in access exclusive mode`);

async function block(lock: SQL): Promise<void> {
  await new Promise<void>((resolve) => {
    held = chat.database.db.transaction(async (tx) => {
      await tx.execute(lock);
      resolve();
      await new Promise<void>((end) => {
        release = end;
      });
    });
  });
}

const getPage = (by: TestUser) => by.api.getMessages(PAGE);
const serial = () => [chat.app.admission.serial.running, chat.app.admission.serial.waiting];
const slots = () => [chat.app.admission.requests.running, chat.app.admission.requests.waiting];

// The embedded database runs one transaction at a time, so nothing can be kept waiting in it beside other requests.
describe.runIf(onPostgres)('while an expensive request is in progress', () => {
  test('the others of its account wait without a slot, and its other requests are served', async () => {
    await blockMessages();
    for (let n = 0; n < 8; n++) sent.push(getPage(ada));
    await expect.poll(serial).toEqual([1, 7]);
    expect(slots()).toEqual([1, 0]);
    for (let n = 0; n < 3; n++) expect((await ada.api.getAlertWords()).alert_words).toEqual([]);
    expect(serial()).toEqual([1, 7]);
  });

  test('expensive requests of all classes of the account wait for it', async () => {
    await blockMessages();
    sent.push(getPage(ada));
    await expect.poll(() => countLockWaits(chat)).toBe(1);
    sent.push(
      ada.api.registerQueue({ fetch_event_types: ['realm'] }),
      ada.api.getStreams(),
      ada.api.updateMessageFlagsForNarrow({ ...PAGE, narrow: [], op: 'add', flag: 'starred' }),
    );
    await expect.poll(serial).toEqual([1, 3]);
  });

  test('those of another account do not wait', async () => {
    await blockMessages();
    sent.push(getPage(ada), getPage(ada));
    await expect.poll(serial).toEqual([1, 1]);
    expect((await ben.api.getUsers()).members.map(({ user_id }) => user_id)).toContain(ben.id);
  });

  test('those of a bot wait for its owner', async () => {
    const bot = await chat.user('ant', { bot_of: ada });
    await bot.api.getAlertWords();
    await blockMessages();
    sent.push(getPage(ada));
    await expect.poll(serial).toEqual([1, 0]);
    sent.push(getPage(bot));
    await expect.poll(serial).toEqual([1, 1]);
  });

  test('one whose account is deactivated while it waits fails', async () => {
    const dan = await chat.user('dan', { mirrored: false });
    await blockMessages();
    sent.push(getPage(dan));
    await expect.poll(serial).toEqual([1, 0]);
    const waiting = expectError('USER_DEACTIVATED', getPage(dan));
    await expect.poll(serial).toEqual([1, 1]);
    await chat.database.db.execute(
      sql`update users set is_active = false where realm_id = ${chat.realm.id} and id = ${dan.id}`,
    );
    release();
    await waiting;
  });

  test('one whose client leaves while it waits is not begun', async () => {
    await blockMessages();
    sent.push(getPage(ada));
    await expect.poll(serial).toEqual([1, 0]);
    const waiting = await openSocket(chat.port, toRequest(chat, GET_PAGE, { login: loginOf(ada) }));
    await expect.poll(serial).toEqual([1, 1]);
    waiting.destroy();
    await expect.poll(serial).toEqual([1, 0]);
  });

  test('one whose client leaves while it runs keeps the others waiting until it ends', async () => {
    await blockMessages();
    const running = await openSocket(chat.port, toRequest(chat, GET_PAGE, { login: loginOf(ada) }));
    await expect.poll(() => countLockWaits(chat)).toBe(1);
    running.destroy();
    sent.push(getPage(ada));
    await expect.poll(serial).toEqual([1, 1]);
    expect(await countLockWaits(chat)).toBe(1);
  });
});

test('an account gets responses to all of the expensive requests that it sends at once', async () => {
  const registrations = Array.from({ length: 20 }, () => ada.api.registerQueue({ fetch_event_types: ['realm'] }));
  const pages = Array.from({ length: 20 }, () => getPage(ada));
  expect(new Set((await Promise.all(registrations)).map(({ queue_id }) => queue_id)).size).toBe(20);
  expect(new Set((await Promise.all(pages)).map(({ found_newest }) => found_newest))).toEqual(new Set([true]));
});

describe('an expensive request that waits for too long', () => {
  const withSerial = async (changes: object) => {
    const full = await startChat({ admissionLimits: { ...patient, serial: { ...limits.serial, ...changes } } });
    return { full, eve: await full.user('eve', { mirrored: false }) };
  };
  const page = (full: Chat, eve: TestUser) =>
    send(full, '/messages?anchor=newest&num_before=5&num_after=0', { method: 'GET', headers: loginOf(eve) });
  const BUSY = {
    status: 503,
    headers: { 'retry-after': expect.stringMatching(/^[1-5]$/) },
    body: {
      code: 'SERVICE_UNAVAILABLE',
      msg: expect.stringMatching(/^Too many expensive requests of this account, or of all, are waiting. Try again in/),
    },
  };

  test('gets 503 with Retry-After', async () => {
    const { full, eve } = await withSerial({ running: 0, timeouts: { wait: 50, target: 50 } });
    expect(await page(full, eve)).toMatchObject(BUSY);
    await expectNothingHeld(full);
    await full.close();
  });

  test('also when no more can wait', async () => {
    const { full, eve } = await withSerial({ running: 0, waiting: 0 });
    expect(await page(full, eve)).toMatchObject(BUSY);
    expect((await eve.api.getAlertWords()).alert_words).toEqual([]);
    await full.close();
  });

  test('after ten seconds by default', () => {
    expect(computeAdmissionLimits(10).serial).toMatchObject({ lane: 1, timeouts: { wait: 10_000 } });
  });
});
