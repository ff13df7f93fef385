// Concurrent requests of applications.
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';
import { onPostgres } from '../../../test/database.ts';
import { startSecondProcess } from '../../../test/second-process.ts';
import { allow, openAllowed, openThirdParty, postForm, register, userWithPassword } from '../../../test/third-party.ts';

let chat: Chat;
let ada: TestUser;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
  ada = await userWithPassword(chat, 'ada');
});
afterAll(() => chat.close());

const ROUNDS = 4;
type Answer = { status: number; error?: string; access_token?: string };
type PostTo = (port: number) => Promise<Answer>;

/** Sends one form several times at once, to each of these ports in turn. */
const post =
  (form: Record<string, string>): PostTo =>
  async (port) => {
    const response = await postForm(chat, '/oauth/token', form, {}, port);
    return { status: response.status, ...((await response.json()) as object) };
  };
const count = async (table: 'tokens' | 'event_queues' | 'refresh_tokens' | 'authorization_codes') => {
  const [found] = await rows<{ count: number }>(
    chat.database.db,
    sql`select count(*)::int as count from ${sql.raw(table)}`,
  );
  return found?.count;
};

/** A code of a public application, and the form that exchanges it. */
async function codeForm() {
  const registered = await register(chat, { is_confidential: false });
  const app = await openThirdParty(chat, registered);
  const back = await allow(chat, app.authorizationUrl(), ada);
  return {
    registered,
    form: {
      grant_type: 'authorization_code',
      client_id: registered.application.client_id,
      code: back.searchParams.get('code') ?? '',
      redirect_uri: app.params.redirect_uri,
      code_verifier: app.verifier,
    },
  };
}

async function refreshForm() {
  const { registered, tokens } = await openAllowed(chat, ada, { is_confidential: false });
  const { client_id } = registered.application;
  return { registered, form: { grant_type: 'refresh_token', client_id, refresh_token: tokens.refresh_token ?? '' } };
}

/** The tokens that one of several requests received; the others failed, and the second use revoked the tokens. */
async function expectOneWinner(answers: readonly Answer[]): Promise<void> {
  const [winner, ...more] = answers.filter(({ status }) => status === 200);
  expect(more).toEqual([]);
  for (const answer of answers.filter((one) => one !== winner))
    expect(answer).toMatchObject({ status: 400, error: 'invalid_grant' });
  const me = await chat.fetch('/api/v1/users/me', { headers: { Authorization: `Bearer ${winner?.access_token}` } });
  expect(me.status).toBe(401);
  expect([await count('tokens'), await count('refresh_tokens')]).toEqual([0, 0]);
}

const forms = { code: codeForm, 'refresh token': refreshForm };

describe.each(Object.entries(forms))('concurrent requests with one %s', (_what, create) => {
  test('one succeeds, and its tokens end because it was used again', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const send = post((await create()).form);
      await expectOneWinner(await Promise.all([1, 2, 3].map(() => send(chat.port))));
    }
  });

  test.runIf(onPostgres)('at two servers, one succeeds', async () => {
    const second = await startSecondProcess(chat);
    for (let round = 0; round < ROUNDS; round++) {
      const send = post((await create()).form);
      await expectOneWinner(await Promise.all([chat.port, second.port, chat.port, second.port].map(send)));
    }
    await second.close();
  });
});

describe.each(Object.entries(forms))('a request with a %s', (_what, create) => {
  test('concurrent with the deletion of its application leaves no token', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { form, registered } = await create();
      const { id } = registered.application;
      const [answer] = await Promise.all([
        post(form)(chat.port),
        chat.owner.api.deleteApplication({ application_id: id }),
      ]);
      expect([200, 400, 401]).toContain(answer.status);
      expect([await count('tokens'), await count('refresh_tokens')]).toEqual([0, 0]);
    }
  });

  test('concurrent with the deactivation of the account leaves no token', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { form } = await create();
      const [answer] = await Promise.all([post(form)(chat.port), chat.owner.api.deactivateUser({ user_id: ada.id })]);
      expect([200, 400]).toContain(answer.status);
      expect([await count('tokens'), await count('refresh_tokens')]).toEqual([0, 0]);
      await chat.owner.api.reactivateUser({ user_id: ada.id });
    }
  });

  test('concurrent with the removal of a scope leaves no token with this scope', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { form, registered } = await create();
      const { id } = registered.application;
      await Promise.all([
        post(form)(chat.port),
        chat.owner.api.updateApplication({ application_id: id, scopes: ['read'] }),
      ]);
      expect([await count('tokens'), await count('refresh_tokens')]).toEqual([0, 0]);
    }
  });
});

test('a token that is renewed while it registers a queue keeps the queue, and its revocation ends the queue', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { api, app, tokens } = await openAllowed(chat, ada, { is_confidential: false });
    const [queue, renewed] = await Promise.allSettled([
      api.registerQueue({ event_types: ['message'] }),
      app.refresh(tokens.refresh_token ?? ''),
    ]);
    if (renewed.status === 'rejected') throw renewed.reason;
    expect(await count('event_queues')).toBe(queue.status === 'fulfilled' ? 1 : 0);
    await app.revoke(renewed.value.access_token);
    expect([await count('tokens'), await count('event_queues')]).toEqual([0, 0]);
  }
});
