// What administrators do with applications.
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import {
  allow,
  openAllowed,
  openThirdParty,
  REDIRECT_URI,
  register,
  userWithPassword,
} from '../../../test/third-party.ts';

let chat: Chat;
let iago: TestUser;
let ada: TestUser;
beforeAll(async () => {
  chat = await startChat();
  iago = await chat.user('iago', { role: 'admin', mirrored: false });
  ada = await userWithPassword(chat, 'ada');
});
afterAll(() => chat.close());

type NewApplication = Parameters<TestUser['api']['createApplication']>[0];
const planner = (more: Partial<NewApplication> = {}): NewApplication => ({
  name: 'Soup Planner',
  redirect_uris: [REDIRECT_URI],
  scopes: ['read', 'write'],
  ...more,
});

describe('registering an application', () => {
  test('returns a secret for a confidential application, which is not shown again', async () => {
    const { application, secret } = await iago.api.createApplication(planner({ name: '  Soup Planner ' }));
    expect(secret).toMatch(/^parley_client_[0-9A-Za-z]{30}$/);
    expect(application).toEqual({
      id: expect.any(Number),
      client_id: String(application.id),
      name: 'Soup Planner',
      redirect_uris: [REDIRECT_URI],
      scopes: ['read', 'write'],
      is_confidential: true,
      creator_id: iago.id,
      created_at: expect.any(Number),
    });
    const listed = await chat.owner.api.getApplications();
    expect(listed.applications).toContainEqual(application);
    expect(JSON.stringify(listed)).not.toContain(secret);
  });

  test('returns no secret for a public application, and none later', async () => {
    const { application, secret } = await iago.api.createApplication(planner({ is_confidential: false }));
    expect([application.is_confidential, secret]).toEqual([false, null]);
    const regenerate = iago.api.regenerateApplicationSecret({ application_id: application.id });
    await expectError('BAD_REQUEST', regenerate, /not confidential/);
  });

  test.each<[string, Partial<NewApplication>, RegExp]>([
    ['an empty name', { name: '  ' }, /name/],
    ['a name of 101 characters', { name: 'x'.repeat(101) }, /name/],
    ['a control character in the name', { name: 'a\u0007b' }, /name/],
    ['no address', { redirect_uris: [] }, /redirect_uris/],
    [
      'eleven addresses',
      { redirect_uris: Array.from({ length: 11 }, (_, n) => `https://${n}.example.com/`) },
      /redirect_uris/,
    ],
    ['an address twice', { redirect_uris: [REDIRECT_URI, REDIRECT_URI] }, /redirect_uris/],
    ['an address of 2,001 characters', { redirect_uris: [`https://x.example/${'x'.repeat(1983)}`] }, /redirect_uris/],
    ['an address without encryption', { redirect_uris: ['http://app.example.com/'] }, /redirect_uris.*must begin with/],
    ['no scopes', { scopes: [] }, /scopes/],
    ['a scope twice', { scopes: ['read', 'read'] }, /scopes/],
  ])('fails for %s', async (_what, more, msg) => {
    const before = (await iago.api.getApplications()).applications.length;
    await expectError('BAD_REQUEST', iago.api.createApplication(planner(more)), msg);
    expect((await iago.api.getApplications()).applications).toHaveLength(before);
  });

  test('is rejected for tokens, whatever their scopes are', async () => {
    const { secret } = await iago.api.createToken({ name: 'All', scopes: ['read', 'write', 'admin'] });
    const api = chat.apiOf(chat.realm, { token: secret });
    await expectError('INSUFFICIENT_SCOPE', api.createApplication(planner()));
    await expectError('INSUFFICIENT_SCOPE', api.getApplications());
  });
});

describe('changing an application', () => {
  test('changes the given values and nothing else, for the next authorization request', async () => {
    const registered = await register(chat);
    const { application } = registered;
    const redirect_uris = ['https://new.example.com/callback'];
    const application_id = application.id;
    expect((await iago.api.updateApplication({ application_id, redirect_uris })).application).toEqual({
      ...application,
      redirect_uris,
    });
    const url = (await openThirdParty(chat, registered)).authorizationUrl();
    expect((await chat.fetch(url.pathname + url.search)).status).toBe(400);
    expect((await iago.api.updateApplication({ application_id })).application).toEqual({
      ...application,
      redirect_uris,
    });
    await expectError('BAD_REQUEST', iago.api.updateApplication({ application_id, name: '' }), /name/);
    await expectError('BAD_REQUEST', iago.api.updateApplication({ application_id, redirect_uris: ['soup'] }), /soup/);
  });

  test('revokes tokens with a scope that the application loses, also when a refresh dropped that scope', async () => {
    const { registered, api, app, tokens } = await openAllowed(chat, ada);
    const application_id = registered.application.id;
    const narrow = await openThirdParty(chat, registered);
    const readOnly = await narrow.exchange(await allow(chat, narrow.authorizationUrl({ scope: 'read' }), ada));
    const refreshed = await app.refresh(tokens.refresh_token ?? '', { scope: 'read' });
    await iago.api.updateApplication({ application_id, scopes: ['read', 'admin'] });
    await expectError('INVALID_TOKEN', api.getOwnUser());
    await expect(app.refresh(refreshed.refresh_token ?? '')).rejects.toMatchObject({ error: 'invalid_grant' });
    await chat.apiOf(chat.realm, { token: readOnly.access_token }).getOwnUser();
  });

  test('with a new secret ends the old one, and tokens stay valid', async () => {
    const { registered, app, api, tokens } = await openAllowed(chat, ada);
    const application_id = registered.application.id;
    const { secret } = await iago.api.regenerateApplicationSecret({ application_id });
    expect(secret).not.toBe(registered.secret);
    await api.getOwnUser();
    await expect(app.refresh(tokens.refresh_token ?? '')).rejects.toMatchObject({ status: 401 });
    await (await openThirdParty(chat, { ...registered, secret })).refresh(tokens.refresh_token ?? '');
  });
});

describe('deleting an application', () => {
  test('ends its tokens, its codes and its event queues, during a poll as well', async () => {
    const { registered, api, app } = await openAllowed(chat, ada);
    const { queue_id, last_event_id } = await api.registerQueue({ event_types: ['message'] });
    const poll = api.getEvents({ queue_id, last_event_id });
    await expect.poll(() => chat.app.polls.waiting()).toBe(1);
    const back = await allow(chat, app.authorizationUrl(), ada);
    await iago.api.deleteApplication({ application_id: registered.application.id });
    expect(await poll).toEqual({ events: [] });
    await expectError('INVALID_TOKEN', api.getOwnUser());
    await expect(app.exchange(back)).rejects.toMatchObject({ status: 401 });
    const { id } = registered.application;
    for (const work of [
      () => iago.api.deleteApplication({ application_id: id }),
      () => iago.api.updateApplication({ application_id: id, name: 'Gone' }),
      () => iago.api.regenerateApplicationSecret({ application_id: id }),
    ])
      await expectError('BAD_REQUEST', work(), new RegExp(`There is no application ${id}`));
  });
});

test('changes of applications are recorded in the audit log', async () => {
  const { application } = await iago.api.createApplication(planner());
  const application_id = application.id;
  await iago.api.updateApplication({ application_id, name: 'Soup' });
  await iago.api.regenerateApplicationSecret({ application_id });
  const app = await openThirdParty(chat, {
    application,
    ...(await iago.api.regenerateApplicationSecret({ application_id })),
  });
  const { access_token } = await app.exchange(await allow(chat, app.authorizationUrl(), ada));
  await app.revoke(access_token);
  await iago.api.deleteApplication({ application_id });
  const entries = await rows<{ actor_id: number | null; action: string }>(
    chat.database.db,
    sql`select actor_id, action from audit_log where details->>'application_id' = ${String(application_id)} order by id`,
  );
  expect(entries).toEqual([
    { actor_id: iago.id, action: 'application created' },
    { actor_id: iago.id, action: 'application changed' },
    { actor_id: iago.id, action: 'application secret regenerated' },
    { actor_id: iago.id, action: 'application secret regenerated' },
    { actor_id: ada.id, action: 'token created' },
    { actor_id: null, action: 'token revoked' },
    { actor_id: iago.id, action: 'application deleted' },
  ]);
});
