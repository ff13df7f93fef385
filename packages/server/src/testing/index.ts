// A whole server for the tests of programs that use Parley: nothing in it is a stand-in but the letters, which are only logged.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROLE } from '../access/roles.ts';
import type { App } from '../app.ts';
import { readConfig } from '../config/index.ts';
import type { PublicCtx, User } from '../core/context.ts';
import { createLog } from '../core/log.ts';
import type { Server } from '../core/server.ts';
import { transact } from '../core/transaction.ts';
import { findRealmBySubdomain, presentRealm } from '../features/realm/index.ts';
import { createRealm, createUser } from '../features/user-admin/index.ts';
import { start } from '../main.ts';

/** What `createClient` takes as its `login`, with the account's id. */
export interface TestLogin {
  readonly user_id: number;
  readonly email: string;
  readonly apiKey: string;
}

/** Written out, so that the declarations of this module need no others. */
export type TestRole = 'owner' | 'administrator' | 'moderator' | 'member' | 'guest';

export interface TestServer extends AsyncDisposable {
  /** The organization's address, for `createClient`. */
  readonly url: string;
  /** Its owner, who may do everything. */
  readonly login: TestLogin;
  /** A new member, or a user of another role. */
  user(name: string, role?: TestRole): Promise<TestLogin>;
  /** A bot of the owner's. */
  bot(name: string): Promise<TestLogin>;
  /** Stops it, and forgets everything. */
  stop(): Promise<void>;
}

const PASSWORD = 'correct horse battery staple';
const emailOf = (name: string) => `${name.toLowerCase().replace(/\W+/g, '.')}@example.com`;

/**
 * Starts a server with one organization, on a free port of this machine and an embedded database of its own.
 *
 * @example
 * import { createClient } from '@parley/client';
 * import { startTestServer } from '@parley/server/testing';
 *
 * const server = await startTestServer();
 * const client = createClient(server.url, { login: server.login });
 * // … your test
 * await server.stop();
 */
export async function startTestServer(): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-testing-'));
  const config = readConfig({
    PARLEY_PORT: '0',
    PARLEY_DATA_DIR: folder,
    PARLEY_RATE_LIMITS: 'off',
    PARLEY_DOCS: 'off',
  });
  let owner: TestLogin | undefined;
  const running = await start(config, {
    command: 'a test server',
    log: createLog('silent'),
    run: () => Promise.reject(new Error('A test server runs no commands.')),
    async prepare(app) {
      owner = await makeOrganization(app);
    },
    strict: true,
  });
  const { app } = running;
  const login = owner as unknown as TestLogin;
  const add = (name: string, role: number, bot?: { type: number; owner_id: number }) =>
    within(app, async (ctx) => {
      const row = await createUser(ctx, { email: emailOf(name), full_name: name, role, ...(bot && { bot }) });
      return loginOf(ctx, row);
    });
  const stop = async () => {
    await running.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return {
    url: `http://localhost:${new URL(running.url).port}`,
    login,
    user: (name, role = 'member') => add(name, ROLE[role]),
    bot: (name) => add(name, ROLE.member, { type: 1, owner_id: login.user_id }),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

const WITHOUT_USER = { me: undefined, client: 'ParleyTest' };

function makeOrganization(app: App): Promise<TestLogin> {
  const owner = { email: emailOf('Olga Owner'), full_name: 'Olga Owner', password: PASSWORD };
  return transact(app, { ...WITHOUT_USER, realm: undefined }, async (ctx) => {
    const made = await createRealm(ctx, app.serverAddress, { subdomain: '', name: 'Testing', owner });
    return loginOf({ ...ctx, realm: made.realm }, made.owner);
  });
}

/** Does work in the organization without a user. */
async function within<T>(app: App, work: (ctx: PublicCtx<Server>) => Promise<T>): Promise<T> {
  const row = await findRealmBySubdomain(app.database.db, '');
  if (!row) throw new Error('The organization of the test server does not exist any more.');
  return transact(app, { ...WITHOUT_USER, realm: presentRealm(app.serverAddress, row) }, work);
}

const loginOf = ({ server, realm }: Pick<PublicCtx<Server>, 'server' | 'realm'>, user: User): TestLogin => ({
  user_id: user.id,
  email: user.delivery_email,
  apiKey: server.apiKeyOf(realm, user),
});
