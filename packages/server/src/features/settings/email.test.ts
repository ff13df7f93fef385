import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { runInLockOrder } from '../../../test/lock-order.ts';
import { openPostOffice, type PostOffice } from '../../../test/mail-server.ts';
import { createLimits } from '../../http/limits/index.ts';
import { sendQueuedEmails } from '../mail/index.ts';
import { deactivateUser } from '../user-admin/index.ts';

let office: PostOffice;
let chat: Chat;
beforeAll(async () => {
  office = await openPostOffice();
  chat = await startChat({ ownDatabase: true, mail: { to: 'smtp', url: office.url } });
});
afterAll(async () => {
  await chat.close();
  chat.app.mailer.close();
  await office.close();
});
beforeEach(async () => {
  await sendQueuedEmails(chat.app);
  office.received.splice(0);
});

let made = 0;
const fresh = () => `new${made++}@example.com`;
const requestChange = ({ api }: TestUser, email: string) => api.updateSettings({ email });
const addressOf = async ({ api }: TestUser) => (await api.getOwnUser()).delivery_email;
const linksTo = (to: string) =>
  office.received
    .filter((email) => email.to.some((one) => one.toLowerCase() === to.trim().toLowerCase()))
    .map(({ text }) => /\/confirm_email\/[\w-]+/.exec(text)?.[0] ?? 'no link');

/** Requests an address and returns the path of the link in the email. */
async function linkFor(person: TestUser, email: string): Promise<string> {
  await requestChange(person, email);
  await sendQueuedEmails(chat.app);
  return linksTo(email).at(-1) ?? 'no email';
}
const open = (link: string, realm = chat.realm) => chat.fetch(link, {}, realm);
const confirm = (link: string, realm = chat.realm) => chat.fetch(link, { method: 'POST' }, realm);
/** The same user, with another address for login. */
const as = (person: TestUser, email: string, realm = chat.realm) => ({
  ...person,
  email,
  api: chat.apiOf(realm, { email, apiKey: person.apiKey }),
});

// shows: 4.13.3
test('a user requests a new address, receives an email, and the address changes with the confirmation', async () => {
  const ada = await chat.user('ada', { mirrored: false });
  const ben = await chat.user('ben');
  const email = fresh();
  const queue = await ada.api.registerQueue({ event_types: ['realm_user'] });
  await ben.takeEvents();
  const link = await linkFor(ada, ` ${email} `);
  expect(office.received).toMatchObject([{ to: [email], subject: 'Confirm your new email address for Testing' }]);
  expect(office.received[0]?.text).toContain(`http://localhost${link}`);
  expect(await addressOf(ada)).toBe(ada.email);
  expect(await ben.takeEvents()).toEqual([]);

  const page = await open(link);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining(email)]);
  expect(await addressOf(ada)).toBe(ada.email);
  const done = await confirm(link);
  expect([done.status, await done.text()]).toEqual([200, expect.stringContaining(email)]);

  const person = { user_id: ada.id };
  expect((await ben.takeEvents('realm_user')).map((event) => event.person)).toEqual([
    { ...person, delivery_email: email },
    { ...person, new_email: email },
  ]);
  const later = as(ada, email);
  expect(await later.api.getOwnUser()).toMatchObject({ email, delivery_email: email });
  await expectError('INVALID_API_KEY', ada.api.getOwnUser());
  const { events } = await later.api.getEvents({ ...queue, dont_block: true });
  expect(events).toMatchObject([{ person: { delivery_email: email } }, { person: { new_email: email } }]);
  await sendQueuedEmails(chat.app);
  expect(office.received.at(-1)).toMatchObject({ to: [ada.email], text: expect.stringContaining(email) });
});

test('only users who can see the address receive a new one, and the API address of a hidden one stays', async () => {
  const ada = await chat.user('ada', { mirrored: false });
  const [ben, iago] = [await chat.user('ben'), await chat.user('iago', { role: 'admin' })];
  await ada.api.updateSettings({ email_address_visibility: 3 });
  for (const person of [ben, iago]) await person.takeEvents();
  const email = fresh();
  await confirm(await linkFor(ada, email));
  expect(await ben.takeEvents()).toEqual([]);
  expect((await iago.takeEvents('realm_user')).map((event) => event.person)).toEqual([
    { user_id: ada.id, delivery_email: email },
  ]);
});

describe('a confirmation link', () => {
  const isVoid = async (link: string, realm = chat.realm) => {
    for (const answer of [await open(link, realm), await confirm(link, realm)]) {
      expect(answer.status).toBe(404);
      expect(await answer.text()).toMatch(/has expired/);
    }
  };

  test('is valid once', async () => {
    const ada = await chat.user('ada', { mirrored: false });
    const link = await linkFor(ada, fresh());
    expect((await confirm(link)).status).toBe(200);
    await isVoid(link);
  });

  test('is valid for a day', async () => {
    const [ada, ben] = [await chat.user('ada', { mirrored: false }), await chat.user('ben', { mirrored: false })];
    const late = await linkFor(ada, fresh());
    chat.clock.advance({ hours: 23, minutes: 59 });
    const link = await linkFor(ben, fresh());
    expect((await open(late)).status).toBe(200);
    chat.clock.advance({ minutes: 2 });
    await isVoid(late);
    expect((await confirm(link)).status).toBe(200);
    expect(await addressOf(ada)).toBe(ada.email);
  });

  test('is invalid after a request for another address', async () => {
    const ada = await chat.user('ada', { mirrored: false });
    const [first, second] = [fresh(), fresh()];
    const link = await linkFor(ada, first);
    const next = await linkFor(ada, second);
    await isVoid(link);
    expect((await confirm(next)).status).toBe(200);
    expect(await addressOf(as(ada, second))).toBe(second);
  });

  test('is invalid in another organization, with another token, and for a deactivated account', async () => {
    const ada = await chat.user('ada', { mirrored: false });
    const { realm } = await chat.otherRealm('elsewhere');
    const link = await linkFor(ada, fresh());
    await isVoid(link, realm);
    await isVoid(`${link}x`);
    await isVoid('/confirm_email/0');
    await chat.act((ctx) => deactivateUser(ctx, ada.id));
    expect((await confirm(link)).status).toBe(404);
  });

  test('is invalid when the organization no longer lets the user change the address', async () => {
    const { realm, owner } = await chat.otherRealm('strict');
    const ada = await chat.user('ada', { realm });
    const link = await linkFor(ada, fresh());
    await owner.api.updateRealm({ email_changes_disabled: true });
    expect((await confirm(link, realm)).status).toBe(404);
    expect(await addressOf(ada)).toBe(ada.email);
  });

  test('fails when another user has the address in the meantime', async () => {
    const [ada, ben] = [await chat.user('ada', { mirrored: false }), await chat.user('ben', { mirrored: false })];
    const email = fresh();
    const [hers, his] = [await linkFor(ada, email), await linkFor(ben, email.toUpperCase())];
    expect((await confirm(hers)).status).toBe(200);
    const answer = await confirm(his);
    expect([answer.status, await answer.text()]).toEqual([409, expect.stringMatching(/another account/i)]);
    expect(await addressOf(ben)).toBe(ben.email);
  });

  test('opens a page without scripts, referrer or caching', async () => {
    const { realm, owner } = await chat.otherRealm('marked');
    await owner.api.updateRealm({ name: 'A & <b>B</b>' });
    const ada = await chat.user('ada', { realm });
    const page = await open(await linkFor(ada, fresh()), realm);
    expect(await page.text()).toContain('A &amp; &lt;b&gt;B&lt;/b&gt;');
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[^ ]+'; form-action 'self'/,
      ),
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
  });
});

describe('an invalid address fails, and so does the rest of the request', () => {
  test.each(['', 'ada', '@example.com', 'a b@example.com', 'ada@example.com, ben@example.com', 'ada@mailinator.com'])(
    '%j',
    async (email) => {
      const ada = await chat.user('ada');
      await expectError('BAD_REQUEST', ada.api.updateSettings({ email, enter_sends: true }), /email/);
      expect(await ada.takeEvents('user_settings')).toEqual([]);
    },
  );

  test('an address in use, in any case, by active or deactivated users', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    await expectError('BAD_REQUEST', requestChange(ada, ben.email.toUpperCase()), /email/);
    await chat.act((ctx) => deactivateUser(ctx, ben.id));
    await expectError('BAD_REQUEST', requestChange(ada, ben.email), /email/);
  });

  test('any address, where the organization forbids changes, except for administrators', async () => {
    const { realm, owner } = await chat.otherRealm('fixed');
    await owner.api.updateRealm({ email_changes_disabled: true });
    const [ada, iago] = [await chat.user('ada', { realm }), await chat.user('iago', { realm, role: 'admin' })];
    await expectError('BAD_REQUEST', requestChange(ada, fresh()), /email/);
    expect(await requestChange(ada, ada.email)).toEqual({});
    expect(await requestChange(iago, fresh())).toEqual({});
  });
});

test("a user's own address changes nothing, but in another case it does", async () => {
  const ada = await chat.user('ada', { mirrored: false });
  await requestChange(ada, ada.email);
  await sendQueuedEmails(chat.app);
  expect(office.received).toEqual([]);
  const email = ada.email.toUpperCase();
  await confirm(await linkFor(ada, email));
  expect(await addressOf(ada)).toBe(email);
});

test('a request that fails sends no email', async () => {
  const ada = await chat.user('ada');
  await expectError('BAD_REQUEST', ada.api.updateSettings({ email: fresh(), timezone: 'Mars' }), /timezone/);
  await sendQueuedEmails(chat.app);
  expect(office.received).toEqual([]);
});

test('the address can change twice an hour at most; the error has the time to wait', async () => {
  const limits = createLimits({
    account: [],
    events: [],
    ip: [],
    password: [],
    email_change: [{ seconds: 3600, count: 2 }],
  });
  const strict = await startChat({ ownDatabase: true, limits });
  try {
    const ada = await strict.user('ada');
    await requestChange(ada, fresh());
    await requestChange(ada, fresh());
    const errorResponse = await expectError('RATE_LIMIT_HIT', requestChange(ada, fresh()), /address too often/);
    expect(errorResponse['retry-after']).toBeGreaterThan(3000);
    expect(await requestChange(ada, ada.email)).toEqual({});
  } finally {
    await strict.close();
    limits.close();
  }
});

test('the database stores neither the token nor the email in plain text', async () => {
  const ada = await chat.user('ada');
  const email = fresh();
  await requestChange(ada, email);
  const [stored] = await rows<{ row: string }>(chat.database.db, sql`select to_jsonb(l)::text as row from letters l`);
  expect(stored?.row).not.toContain(email);
  await sendQueuedEmails(chat.app);
  const token = linksTo(email)[0]?.split('/').at(-1) ?? '';
  expect(token).toHaveLength(43);
  const [change] = await rows<{ row: string }>(
    chat.database.db,
    sql`select to_jsonb(c)::text as row from email_changes c where user_id = ${ada.id}`,
  );
  expect(change?.row).toContain(email);
  expect(change?.row).not.toContain(token);
});

describe('concurrently', () => {
  test('two confirmations of one link change the address once', async () => {
    const ada = await chat.user('ada', { mirrored: false });
    const ben = await chat.user('ben');
    const link = await linkFor(ada, fresh());
    await ben.takeEvents();
    const answers = await runInLockOrder(chat, [() => confirm(link), () => confirm(link)]);
    const statuses = answers.map((answer) => answer.status === 'fulfilled' && (answer.value as Response).status);
    expect(statuses.sort()).toEqual([200, 404]);
    expect(await ben.takeEvents('realm_user')).toHaveLength(2);
  });

  test('of two users who confirm the same address, one has it', async () => {
    const [ada, ben] = [await chat.user('ada', { mirrored: false }), await chat.user('ben', { mirrored: false })];
    const email = fresh();
    const links = [await linkFor(ada, email), await linkFor(ben, email)];
    const answers = await runInLockOrder(
      chat,
      links.map((link) => () => confirm(link)),
    );
    const statuses = answers.map((answer) => answer.status === 'fulfilled' && (answer.value as Response).status);
    expect(statuses.sort()).toEqual([200, 409]);
  });
});
