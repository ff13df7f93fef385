import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat } from '../../../test/chat.ts';
import { openPostOffice, type PostOffice, parsed } from '../../../test/mail-server.ts';
import { createLog } from '../../core/log.ts';
import { createMailer } from '../../mail/mailer.ts';
import { queueEmail, sendQueuedEmails } from './index.ts';

let chat: Chat;
let office: PostOffice;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
  office = await openPostOffice();
});
afterAll(async () => {
  await chat.close();
  await office.close();
});
afterEach(async () => {
  office.refuse(undefined);
  office.received.splice(0);
  await chat.database.db.execute(sql`delete from letters`);
});

const logged: { level: number; msg: string }[] = [];
const log = createLog('info', { write: (line) => void logged.push(JSON.parse(line)) });
const postTo = (url: string) => ({
  ...chat.app,
  log,
  mailer: createMailer({ to: 'smtp', url }, log, 'chat.example.com'),
});
const write = (to: string, subject = 'Soup') =>
  chat.act((ctx) => queueEmail(ctx, { to, subject, text: 'Dinner is ready — at last.\n' }));
const waiting = async () => (await rows(chat.database.db, sql`select from letters`)).length;

test('an email reaches the mail server as it was written, from the organization, and once', async () => {
  await write('ada@example.com', 'Süppchen');
  const post = postTo(office.url);
  await sendQueuedEmails(post);
  await sendQueuedEmails(post);
  expect(office.received).toHaveLength(1);
  const [email] = office.received;
  expect(email).toMatchObject({
    to: ['ada@example.com'],
    text: expect.stringContaining('Dinner is ready — at last.'),
  });
  expect(email?.headers).toMatch(/^From: "?Testing"? <noreply@chat.example.com>$/m);
  expect(email?.headers).toMatch(/^Message-ID: <letter-\d+-\d+@chat.example.com>$/m);
  expect(email?.headers).toMatch(/^Auto-Submitted: auto-generated$/m);
  expect(await waiting()).toBe(0);
});

test('the sender is the address in PARLEY_MAIL', async () => {
  await write('ada@example.com');
  await sendQueuedEmails(postTo(`${office.url}?from=parley@acme.example`));
  expect(office.received[0]?.headers).toMatch(/^From: "?Testing"? <parley@acme.example>$/m);
});

test('emails written while the mail server is down are kept, logged, and sent when it is back', async () => {
  const away = await openPostOffice();
  await away.close();
  await write('ada@example.com');
  await write('ben@example.com');
  logged.splice(0);
  await sendQueuedEmails(postTo(away.url));
  expect(logged).toMatchObject([{ msg: expect.stringMatching(/cannot be sent: check PARLEY_MAIL/) }]);
  expect(await waiting()).toBe(2);
  const back = await openPostOffice(away.port);
  try {
    const post = postTo(back.url);
    await sendQueuedEmails(post);
    expect(back.received.map(({ to }) => to)).toEqual([['ben@example.com']]);
    chat.clock.advance({ minutes: 1 });
    await sendQueuedEmails(post);
    expect(back.received.map(({ to }) => to)).toEqual([['ben@example.com'], ['ada@example.com']]);
  } finally {
    await back.close();
  }
});

test('an email that the mail server defers is retried; one that it rejects permanently is given up', async () => {
  const post = postTo(office.url);
  await write('ada@example.com');
  office.refuse({ responseCode: 450 });
  await sendQueuedEmails(post);
  expect(await waiting()).toBe(1);
  office.refuse({ responseCode: 550 });
  chat.clock.advance({ minutes: 1 });
  logged.splice(0);
  await sendQueuedEmails(post);
  expect(await waiting()).toBe(0);
  expect(logged).toMatchObject([{ msg: expect.stringMatching(/given up/) }]);
});

test('an email is given up after a day', async () => {
  const post = postTo(office.url);
  office.refuse({ responseCode: 450 });
  await write('ada@example.com');
  chat.clock.advance({ hours: 24 });
  await sendQueuedEmails(post);
  expect(await waiting()).toBe(0);
});

test('an email of a request that fails is not sent', async () => {
  const failing = chat.act(async (ctx) => {
    await queueEmail(ctx, { to: 'ada@example.com', subject: 'Soup', text: 'x' });
    throw new Error('The action failed.');
  });
  await expect(failing).rejects.toThrow('The action failed.');
  expect(await waiting()).toBe(0);
});

test('with dir: emails become files, with log they are logged', async () => {
  const path = mkdtempSync(join(tmpdir(), 'emails-'));
  try {
    await write('ada@example.com');
    await sendQueuedEmails({ ...chat.app, mailer: createMailer({ to: 'dir', path }, log, 'localhost') });
    const [file = '', ...more] = readdirSync(path);
    expect([file, more]).toEqual([expect.stringMatching(/^letter-\d+-\d+\.eml$/), []]);
    expect(parsed(readFileSync(join(path, file), 'utf8'))).toMatchObject({ subject: 'Soup' });
  } finally {
    rmSync(path, { recursive: true });
  }
  await write('ben@example.com');
  logged.splice(0);
  await sendQueuedEmails({ ...chat.app, mailer: createMailer({ to: 'log' }, log, 'localhost') });
  expect(logged).toMatchObject([{ to: 'ben@example.com', subject: 'Soup' }]);
});
