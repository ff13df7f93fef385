import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, PASSWORD, startChat, type TestUser } from '../../../test/chat.ts';
import { runInLockOrder } from '../../../test/lock-order.ts';
import { createLimits } from '../../http/limits/index.ts';
import { resetPassword } from '../user-admin/index.ts';

const GUESSES = 5;
const limits = createLimits({
  account: [],
  events: [],
  ip: [],
  password: [{ seconds: 1800, count: GUESSES }],
  email_change: [],
});
let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ limits });
});
afterAll(async () => {
  await chat.close();
  limits.close();
});

const NEW = 'a wholly different sentence';

async function withPassword(name: string, realm = chat.realm): Promise<TestUser> {
  const person = await chat.user(name, { realm });
  await chat.act((ctx) => resetPassword(ctx, person.id, PASSWORD), realm);
  return person;
}
const logIn = ({ email }: TestUser, password: string, realm = chat.realm) =>
  chat.apiOf(realm).fetchApiKey({ username: email, password });

// shows: 4.13.4
test('with the old password a user sets a new one; the key and the queues stay', async () => {
  const ada = await withPassword('ada');
  await ada.takeEvents();
  expect(await ada.api.updateSettings({ old_password: PASSWORD, new_password: NEW })).toEqual({});
  expect(await logIn(ada, NEW)).toMatchObject({ api_key: ada.apiKey });
  await expectError('AUTHENTICATION_FAILED', logIn(ada, PASSWORD));
  expect(await ada.takeEvents()).toEqual([]);
});

// shows: 4.13.4
test('without the old password, with a wrong one or with a weak new one nothing changes', async () => {
  const ada = await withPassword('ada');
  const set = (params: { old_password?: string; new_password: string }) =>
    ada.api.updateSettings({ ...params, enter_sends: true });
  await expectError('BAD_REQUEST', set({ new_password: NEW }), /old_password/);
  await expectError('BAD_REQUEST', set({ old_password: 'wrong', new_password: NEW }), /old_password/);
  await expectError('BAD_REQUEST', set({ old_password: '', new_password: NEW }), /old_password/);
  for (const weak of ['', 'short', 'password', ada.email])
    await expectError('BAD_REQUEST', set({ old_password: PASSWORD, new_password: weak }), /new_password/);
  expect(await ada.takeEvents('user_settings')).toEqual([]);
  expect(await logIn(ada, PASSWORD)).toMatchObject({ user_id: ada.id });
});

test('an old password alone is ignored, right or wrong, and not counted', async () => {
  const ada = await withPassword('ada');
  for (let n = 0; n <= GUESSES; n++) expect(await ada.api.updateSettings({ old_password: 'wrong' })).toEqual({});
  expect(await logIn(ada, PASSWORD)).toMatchObject({ user_id: ada.id });
});

test('another invalid value in the request keeps the password, too', async () => {
  const ada = await withPassword('ada');
  const call = ada.api.updateSettings({ old_password: PASSWORD, new_password: NEW, timezone: 'Mars' });
  await expectError('BAD_REQUEST', call, /timezone/);
  expect(await logIn(ada, PASSWORD)).toMatchObject({ user_id: ada.id });
});

test("a password made of the user's own name is too weak", async () => {
  const ada = await withPassword('ada');
  await ada.api.updateSettings({ full_name: 'Ada Featherstonehaugh' });
  const new_password = 'featherstonehaugh';
  const call = ada.api.updateSettings({ old_password: PASSWORD, new_password });
  await expectError('BAD_REQUEST', call, /new_password/);
});

test('after five wrong old passwords changes fail for a while; the error has the seconds', async () => {
  const ada = await withPassword('ada');
  const guess = (old_password: string) => ada.api.updateSettings({ old_password, new_password: NEW });
  for (let n = 0; n < GUESSES; n++) await expectError('BAD_REQUEST', guess(`guess ${n}`), /not your password/);
  await expectError('BAD_REQUEST', guess(PASSWORD), /\b1(800|7\d\d)\b.*seconds/);
  expect(await logIn(ada, PASSWORD)).toMatchObject({ user_id: ada.id });
});

test('wrong passwords at the login do not prevent the user from changing the password', async () => {
  const ada = await withPassword('ada');
  for (let n = 0; n < GUESSES; n++) await expectError('AUTHENTICATION_FAILED', logIn(ada, `guess ${n}`));
  await expectError('RATE_LIMIT_HIT', logIn(ada, PASSWORD));
  await ada.api.updateSettings({ old_password: PASSWORD, new_password: NEW });
});

test('concurrent attempts are counted like successive ones', async () => {
  const ada = await withPassword('ada');
  const guesses = Array.from({ length: 12 }, (_, n) =>
    ada.api.updateSettings({ old_password: `guess ${n}`, new_password: NEW }).catch(({ message }) => message),
  );
  const answers = await Promise.all(guesses);
  expect(answers.filter((answer) => /not your password/.test(answer))).toHaveLength(GUESSES);
  expect(answers.filter((answer) => /too many/.test(answer))).toHaveLength(12 - GUESSES);
});

test('a right password resets the count of wrong ones', async () => {
  const ada = await withPassword('ada');
  for (const [old_password, new_password] of [
    [PASSWORD, NEW],
    [NEW, PASSWORD],
  ] as const) {
    for (let n = 1; n < GUESSES; n++)
      await expectError('BAD_REQUEST', ada.api.updateSettings({ old_password: 'wrong', new_password: NEW }));
    await ada.api.updateSettings({ old_password, new_password });
  }
});

test('where login with a password is disabled, users cannot change theirs', async () => {
  const { realm, owner } = await chat.otherRealm('keyless');
  const ada = await withPassword('ada', realm);
  await owner.api.updateRealm({ authentication_methods: { Email: false } });
  const call = ada.api.updateSettings({ old_password: PASSWORD, new_password: NEW });
  await expectError('BAD_REQUEST', call, /password/);
  await owner.api.updateRealm({ authentication_methods: { Email: true } });
  expect(await logIn(ada, PASSWORD, realm)).toMatchObject({ user_id: ada.id });
});

test('a user without a password cannot set one', async () => {
  const ada = await chat.user('ada');
  await expectError('BAD_REQUEST', ada.api.updateSettings({ old_password: '', new_password: NEW }), /old_password/);
  await expectError('BAD_REQUEST', ada.api.updateSettings({ old_password: 'x', new_password: NEW }), /old_password/);
});

test('of two concurrent changes with the same old password one fails', async () => {
  const ada = await withPassword('ada');
  const sentences = ['the first of two sentences', 'the second of both phrases'];
  const outcomes = await runInLockOrder(
    chat,
    sentences.map((new_password) => () => ada.api.updateSettings({ old_password: PASSWORD, new_password })),
  );
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const won = sentences[outcomes.findIndex(({ status }) => status === 'fulfilled')] ?? '';
  expect(await logIn(ada, won)).toMatchObject({ user_id: ada.id });
});
