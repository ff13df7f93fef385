// An API key alone, which may be stolen, does not take over an account, and a request tells nothing of hidden addresses.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Chat, PASSWORD, type Person, refused, startChat } from '../../../test/chat.ts';
import { openPostOffice, type PostOffice } from '../../../test/post-office.ts';
import { readConfig } from '../../config/index.ts';
import { createLimits } from '../../http/limits/index.ts';
import { createIdentity } from '../../identity/index.ts';
import { resetPassword } from '../accounts/index.ts';
import { updateSignedIn } from '../auth/queries.ts';
import { deliverLetters } from '../mail/index.ts';

const GUESSES = 3;
const limits = createLimits(
  readConfig({ PARLEY_RATE_LIMITS: JSON.stringify({ password: `1800:${GUESSES}`, email_change: 'off' }) }).rate_rules,
);
let office: PostOffice;
let chat: Chat;
beforeAll(async () => {
  office = await openPostOffice();
  const PARLEY_OIDC = JSON.stringify([{ id: 'id', name: 'ID', issuer: 'http://127.0.0.1:1', client_id: 'parley' }]);
  const identity = await createIdentity(readConfig({ PARLEY_OIDC }).identity);
  chat = await startChat({ ownDatabase: true, mail: { to: 'smtp', url: office.url }, limits, identity });
});
afterAll(async () => {
  await chat.close();
  chat.app.mailer.close();
  limits.close();
  await office.close();
});
beforeEach(() => void office.received.splice(0));

let made = 0;
const fresh = () => `fresh${made++}@example.com`;

async function withPassword(name: string): Promise<Person> {
  const person = await chat.user(name, { mirrored: false });
  await chat.act((ctx) => resetPassword(ctx, person.id, PASSWORD));
  return person;
}

/** The path of the link in the newest letter to an address. */
async function linkTo(address: string): Promise<string> {
  await deliverLetters(chat.app);
  const letter = office.received.findLast(({ to }) => to.includes(address));
  return /\/confirm_email\/[\w-]+/.exec(letter?.text ?? '')?.[0] ?? 'no link';
}

async function confirm(link: string, password?: string) {
  const form = password === undefined ? {} : { password };
  const response = await chat.fetch(link, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  });
  return response.status;
}

const addressNow = ({ api }: Person) =>
  api.getOwnUser().then(
    ({ delivery_email }) => delivery_email,
    () => 'changed',
  );

test('the page of the link asks for the password of the account, and counts wrong ones', async () => {
  const ada = await withPassword('ada');
  const email = fresh();
  await ada.api.updateSettings({ email });
  const link = await linkTo(email);
  expect(await (await chat.fetch(link)).text()).toContain('type="password"');
  expect([await confirm(link), await confirm(link, 'a guess')]).toEqual([403, 403]);
  expect(await addressNow(ada)).toBe(ada.email);
  expect(await confirm(link, PASSWORD)).toBe(200);
  expect(await addressNow(ada)).toBe('changed');

  const ben = await withPassword('ben');
  const wanted = fresh();
  await ben.api.updateSettings({ email: wanted });
  const other = await linkTo(wanted);
  for (let n = 0; n < GUESSES; n++) await confirm(other, `guess ${n}`);
  expect(await confirm(other, PASSWORD)).toBe(403);
  expect(await addressNow(ben)).toBe(ben.email);
});

test('the page asks for nothing when the request came with the right old_password; a wrong one is refused', async () => {
  const ada = await withPassword('ada');
  const email = fresh();
  await refused('BAD_REQUEST', ada.api.updateSettings({ email, old_password: 'a guess' }), /old_password/);
  expect(await linkTo(email)).toBe('no link');
  await ada.api.updateSettings({ email, old_password: PASSWORD });
  const link = await linkTo(email);
  expect(await (await chat.fetch(link)).text()).not.toContain('type="password"');
  expect(await confirm(link)).toBe(200);
  expect(await addressNow(ada)).toBe('changed');
});

test('an account without a password has to have logged in by single sign-on within ten minutes', async () => {
  await chat.owner.api.updateRealm({ authentication_methods: { 'OpenID Connect': true } });
  const ada = await chat.user('ada', { mirrored: false });
  const signIn = () => updateSignedIn(chat.database.db, { realm_id: chat.realm.id, id: ada.id }, chat.clock());
  const email = fresh();
  await ada.api.updateSettings({ email });
  const link = await linkTo(email);
  expect(await (await chat.fetch(link)).text()).toMatch(/single sign-on/);
  expect(await confirm(link)).toBe(403);
  await signIn();
  chat.clock.advance({ minutes: 11 });
  expect(await confirm(link)).toBe(403);
  await signIn();
  expect(await confirm(link)).toBe(200);
  expect(await addressNow(ada)).toBe('changed');
  await chat.owner.api.updateRealm({ authentication_methods: { 'OpenID Connect': false } });
});

test('a request for an address that another account hides is answered like one for a free address', async () => {
  const [ada, ben] = [await chat.user('ada', { mirrored: false }), await chat.user('ben', { mirrored: false })];
  await refused('BAD_REQUEST', ada.api.updateSettings({ email: ben.email }), /already in use/);
  await ben.api.updateSettings({ email_address_visibility: 4 });
  expect(await ada.api.updateSettings({ email: ben.email.toUpperCase() })).toEqual(
    await ada.api.updateSettings({ email: fresh() }),
  );
  await ada.api.updateSettings({ email: ben.email });
  expect(await confirm(await linkTo(ben.email))).toBe(409);
  expect([await addressNow(ada), await addressNow(ben)]).toEqual([ada.email, ben.email]);
});
