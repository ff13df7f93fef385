// Changes of a stream that fail for administrators.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ web_public_streams_enabled: true });
  await chat.owner.api.updateRealm({ enable_spectator_access: true });
});
afterAll(() => chat.close());

let made = 0;
const fresh = (name: string) => `${name} ${made++}`;
const admin = () => chat.user('amy', { role: 'admin' });
const streamAs = async (person: TestUser, stream_id: number) => (await person.api.getStream({ stream_id })).stream;

test('a stream that does not exist fails with its id, and so does an archived one', async () => {
  const amy = await admin();
  const stream_id = await chat.stream(fresh('soup'), { by: amy });
  const unknown = await expectError(
    'BAD_REQUEST',
    amy.api.updateStream({ stream_id: 999_999, is_private: true }),
    /999999/,
  );
  await amy.api.archiveStream({ stream_id });
  const archived = await expectError('BAD_REQUEST', amy.api.updateStream({ stream_id, is_private: true }));
  expect(archived).toEqual({ ...unknown, msg: unknown.msg.replace('999999', String(stream_id)) });
});

test('a new name must be unused in any case, valid, and another than the present one', async () => {
  const amy = await admin();
  const [soup, tea] = [fresh('Soup'), fresh('tea')];
  const stream_id = await chat.stream(soup, { by: amy });
  await chat.stream(tea, { by: chat.owner, invite_only: true });
  const rename = (new_name: string) => amy.api.updateStream({ stream_id, new_name });
  await expectError('BAD_REQUEST', rename(` ${soup} `), /new_name.*already/);
  await expectError('BAD_REQUEST', rename(tea.toUpperCase()), new RegExp(tea));
  await expectError('BAD_REQUEST', rename(' '), /new_name/);
  await expectError('BAD_REQUEST', rename('x'.repeat(61)), /60/);
  await expectError('BAD_REQUEST', rename('ab\u0007'), /position 3/);
  await rename(soup.toLowerCase());
  await rename(` ${soup} again`);
  expect((await streamAs(amy, stream_id)).name).toBe(`${soup} again`);
});

test('a change that fails changes nothing', async () => {
  const amy = await admin();
  const name = fresh('soup');
  const stream_id = await chat.stream(name, { by: amy });
  const before = await streamAs(amy, stream_id);
  await amy.takeEvents();
  const all = { stream_id, new_name: fresh('tea'), description: 'Hot.', stream_post_policy: 2 as const };
  await expectError('BAD_REQUEST', amy.api.updateStream({ ...all, can_remove_subscribers_group: 999_999 }), /999999/);
  await expectError(
    'BAD_REQUEST',
    amy.api.updateStream({ ...all, is_private: true, is_web_public: true }),
    /web-public/,
  );
  await expectError('UNAUTHORIZED_PRINCIPAL', amy.api.updateStream({ ...all, message_retention_days: 7 }), /owner/);
  await expectError(
    'UNAUTHORIZED_PRINCIPAL',
    amy.api.updateStream({ ...all, message_retention_days: 'realm_default' }),
  );
  const owners = (await amy.api.getUserGroups({})).user_groups.find((one) => one.name === 'role:owners')?.id ?? 0;
  await expectError(
    'BAD_REQUEST',
    amy.api.updateStream({ ...all, can_remove_subscribers_group: owners }),
    /role:owners/,
  );
  expect(await streamAs(amy, stream_id)).toEqual(before);
  expect(await amy.takeEvents()).toEqual([]);
});

test('a retention that is neither a number of days nor a documented string fails with an error that names it', async () => {
  const stream_id = await chat.stream(fresh('soup'), { by: chat.owner });
  for (const days of [0, -1, 'never'] as never[]) {
    const errorResponse = await expectError(
      'REQUEST_VARIABLE_INVALID',
      chat.owner.api.updateStream({ stream_id, message_retention_days: days }),
    );
    expect(errorResponse).toMatchObject({ var_name: 'message_retention_days', bad_value: days });
  }
});

test('of a private stream without their subscription, administrators can change the name and the description only', async () => {
  const [ada, amy] = [await chat.user('ada'), await admin()];
  const stream_id = await chat.stream(fresh('secret'), { by: ada, invite_only: true });
  const unknown = await expectError('BAD_REQUEST', amy.api.updateStream({ stream_id: 999_999, is_private: false }));
  for (const change of [
    { is_private: false },
    { is_private: true },
    { stream_post_policy: 2 as const },
    { history_public_to_subscribers: true },
    { is_default_stream: false, new_name: fresh('known') },
  ]) {
    const errorResponse = await expectError('BAD_REQUEST', amy.api.updateStream({ stream_id, ...change }));
    expect(errorResponse).toEqual({ ...unknown, msg: unknown.msg.replace('999999', String(stream_id)) });
  }
  const new_name = fresh('renamed');
  await amy.api.updateStream({ stream_id, new_name, description: 'Ours.' });
  expect(await streamAs(ada, stream_id)).toMatchObject({ name: new_name, description: 'Ours.', invite_only: true });
});

test("web-public streams need the organization's setting and a permission, as for creating them", async () => {
  const [amy, stream_id] = [await admin(), await chat.stream(fresh('web'), { by: chat.owner })];
  const open = { stream_id, is_web_public: true };
  await expectError('BAD_REQUEST', amy.api.updateStream(open), /is_web_public.*permission/);
  await chat.owner.api.updateRealm({ enable_spectator_access: false });
  await expectError('BAD_REQUEST', chat.owner.api.updateStream(open), /organization/);
  await chat.owner.api.updateRealm({ enable_spectator_access: true });
  await chat.owner.api.updateStream(open);
  expect(await streamAs(amy, stream_id)).toMatchObject({ is_web_public: true, history_public_to_subscribers: true });
});
