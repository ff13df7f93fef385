// The permissions of each operation: each kind of caller calls it once, with the result that the document says.
import { ParleyError } from '@parley/client';
import { operations, readDocument } from '@parley/openapi';
import {
  BAD_REQUEST,
  type CallerKind,
  callerKinds as callers,
  findOperation,
  findPermissionError,
} from '@parley/openapi/document';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OperationId } from '../src/core/contract.ts';
import { updateCanCreateUsers } from '../src/features/user-admin/index.ts';
import { type Chat, startChat, type TestUser } from './chat.ts';
import type { CallFixture } from './fixtures/call-objects.ts';
import { createOperationCalls, type PreparedCall } from './fixtures/operation-calls.ts';

const document = readDocument();

/**
 * The most statements of a request with rejected credentials: one finds the organization and the account. Without
 * credentials it finds the organization alone.
 */
const STATEMENTS_OF_REJECTED_CREDENTIALS = 1;

const fixture = {} as CallFixture;
const calls = createOperationCalls(fixture);
let chat: Chat;
let made = 0;
const fresh = (word: string) => `${word}${made++}`;
const createUser = (name: string, options: Parameters<Chat['user']>[1] = {}) =>
  chat.user(name, { ...options, mirrored: false });

const callersByKind = {} as Record<CallerKind, TestUser>;

/** A user of this kind; full members and bots are older than the organization's waiting period, new ones are not. */
async function makeCaller(kind: CallerKind): Promise<TestUser> {
  switch (kind) {
    case 'owner':
      return allowCreatingUsers(await createUser('olga', { role: 'owner' }));
    case 'administrator':
      return allowCreatingUsers(await createUser('amy', { role: 'admin' }));
    case 'moderator':
      return createUser('mo', { role: 'moderator' });
    case 'guest':
      return createUser('gus', { role: 'guest' });
    case 'bot':
      return createUser('bo', { bot_of: await createUser('bea') });
    case 'deactivated': {
      const dan = await createUser('dan');
      await chat.owner.api.deactivateUser({ user_id: dan.id });
      return dan;
    }
    case 'anonymous':
      return { ...(await createUser('nobody')), api: chat.apiOf(chat.realm) };
    case 'of another organization': {
      const { owner } = await chat.otherRealm(fresh('other'));
      return { ...owner, api: chat.apiOf(chat.realm, owner) };
    }
    default:
      return createUser('mia');
  }
}

async function allowCreatingUsers(person: TestUser): Promise<TestUser> {
  await chat.act((ctx) => updateCanCreateUsers(ctx, person.id, true));
  return person;
}

beforeAll(async () => {
  chat = await startChat();
  await chat.owner.api.updateRealm({
    waiting_period_threshold: 10,
    create_public_stream_policy: 3,
    user_group_edit_policy: 3,
    add_custom_emoji_policy: 3,
    enable_read_receipts: true,
  });
  for (const kind of callers) if (kind !== 'new member') callersByKind[kind] = await makeCaller(kind);
  chat.clock.advance({ days: 20 });
  callersByKind['new member'] = await makeCaller('new member');
  const members = callers.slice(0, 7).map((kind) => callersByKind[kind]);
  const hall = await chat.stream('hall', { by: chat.owner, members });
  Object.assign(fixture, { chat, hall });
  await chat.stream('foyer', { by: chat.owner, members });
});
afterAll(() => chat.close());

const outsiders: readonly CallerKind[] = ['deactivated', 'anonymous', 'of another organization'];

async function outcome<Id extends OperationId>(id: Id, kind: CallerKind): Promise<string> {
  const { params, by_new_caller }: PreparedCall<Id> = calls[id];
  const caller = by_new_caller ? await makeCaller(kind) : callersByKind[kind];
  // The objects that outsiders name exist, so that only the caller can be the reason of the error.
  const preparer = outsiders.includes(kind) ? chat.owner : caller;
  const sent = typeof params === 'function' ? await params(preparer) : (params ?? {});
  const call = caller.api[id] as (sent: unknown) => Promise<unknown>;
  return call(sent).then(
    () => 'done',
    (error: unknown) => (error instanceof ParleyError ? toOutcome(error) : String(error)),
  );
}

const toOutcome = ({ code, reason }: Pick<ParleyError, 'code' | 'reason'>): string =>
  reason === undefined ? code : `${code} ${reason}`;

/** A caller without the permission gets no other reason. */
const toExpected = (code = 'done'): string => (code === BAD_REQUEST ? `${code} forbidden` : code);

test('every operation has a row, and every row an operation', () => {
  expect(Object.keys(calls).sort()).toEqual(Object.keys(operations).sort());
});

// shows: 1.1, 5.5, 5.6
test.each(Object.keys(calls) as OperationId[])('%s can be called by the callers in the document', async (id) => {
  const { operation } = findOperation(document, id) ?? {};
  if (!operation) throw new Error(`The document has no operation ${id}.`);
  const expected = callers.map((kind) => [kind, toExpected(findPermissionError(document, operation, kind))]);
  const found = await Promise.all(callers.map(async (kind) => [kind, await outcome(id, kind)]));
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
});

/** Tokens that were valid, by what became of them. */
const listEndedTokens = async (): Promise<[string, string][]> => {
  const [ann, bob, cay] = [await createUser('ann'), await createUser('bob'), await createUser('cay')];
  const tokenOf = ({ api }: TestUser, more = {}) => api.createToken({ name: 'Digest', scopes: ['read'], ...more });
  const [revoked, expired, ofNobody] = [
    await tokenOf(ann),
    await tokenOf(bob, { lifespan_secs: 60 }),
    await tokenOf(cay),
  ];
  const foreign = await tokenOf((await chat.otherRealm(fresh('other'))).owner);
  await ann.api.revokeToken({ token_id: revoked.token.id });
  await chat.owner.api.deactivateUser({ user_id: cay.id });
  chat.clock.advance({ minutes: 2 });
  return [
    ['with a revoked token', `Bearer ${revoked.secret}`],
    ['with an expired token', `Bearer ${expired.secret}`],
    ['with the token of a deactivated account', `Bearer ${ofNobody.secret}`],
    ['with a token of another organization', `Bearer ${foreign.secret}`],
  ];
};

const withoutAccess = async (): Promise<[string, string | undefined][]> => {
  const former = await createUser('fay');
  const oldKey = basic(former);
  await former.api.regenerateApiKey();
  return [
    ...(await listEndedTokens()),
    ['anonymous', undefined],
    ['deactivated', basic(callersByKind.deactivated)],
    ['of another organization', basic(callersByKind['of another organization'])],
    ['with an old key', oldKey],
  ];
};
const basic = ({ email, apiKey }: TestUser): string => `Basic ${Buffer.from(`${email}:${apiKey}`).toString('base64')}`;

test('a caller with rejected credentials costs at most one statement, for any operation', async () => {
  const costs: Record<string, number> = {};
  for (const [kind, login] of await withoutAccess()) {
    for (const [id, { auth, path, method }] of Object.entries(operations)) {
      if (auth !== 'user') continue;
      const init = { method: method.toUpperCase(), headers: login === undefined ? {} : { Authorization: login } };
      costs[`${id} ${kind}`] = await chat.statements(async () => {
        expect((await chat.fetch(`/api/v1${path.replaceAll(/\{\w+\}/g, '1')}`, init)).status).toBe(401);
      });
    }
  }
  const dear = Object.entries(costs).filter(([, statements]) => statements > STATEMENTS_OF_REJECTED_CREDENTIALS);
  expect(dear).toEqual([]);
});
