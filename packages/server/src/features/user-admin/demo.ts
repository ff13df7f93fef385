import { ROLE } from '../../access/roles.ts';
import type { CollectionLimiting } from '../../core/collection-limits.ts';
import type { PublicCtx, Realm, User } from '../../core/context.ts';
import { requireValue } from '../../core/require-value.ts';
import type { Server } from '../../core/server.ts';
import { type Engine, transact } from '../../core/transaction.ts';
import { findRealmBySubdomain, presentRealm, type ServerAddress } from '../realm/index.ts';
import { subscribe } from '../subscriptions/index.ts';
import { listUsersByApiEmails } from '../users/index.ts';
import { createRealm } from './actions/create-realm.ts';
import { createUser } from './actions/create-user.ts';

export interface DemoAccount {
  name: string;
  role: string;
  user_id: number;
  email: string;
  api_key: string;
}

interface DemoServer extends Engine {
  readonly serverAddress: ServerAddress;
}

const PASSWORD = 'parley demo password';
const cast = [
  { name: 'Desdemona', role: ROLE.owner, title: 'owner' },
  { name: 'Iago', role: ROLE.administrator, title: 'administrator' },
  { name: 'Shiva', role: ROLE.moderator, title: 'moderator' },
  { name: 'Hamlet', role: ROLE.member, title: 'member' },
  { name: 'Cordelia', role: ROLE.member, title: 'member' },
  { name: 'Polonius', role: ROLE.guest, title: 'guest' },
] as const;
const emailOf = (name: string) => `${name.toLowerCase()}@example.com`;

/** The demo organization at the base domain: made once, found again afterwards. */
export async function ensureDemo(app: DemoServer): Promise<{ realm: Realm; users: DemoAccount[] }> {
  const row = await findRealmBySubdomain(app.database.db, '');
  const realm = row ? presentRealm(app.serverAddress, row) : await makeDemo(app);
  const users = await findUsers(app, realm);
  return { realm, users };
}

async function makeDemo(app: DemoServer): Promise<Realm> {
  const system = { realm: undefined, me: undefined, client: 'Parley' };
  return transact(app, system, async (ctx) => {
    const [first] = cast;
    const { realm, owner } = await createRealm(ctx, app.serverAddress, {
      subdomain: '',
      name: 'Parley Demo',
      owner: { email: emailOf(first.name), full_name: first.name, password: PASSWORD },
    });
    const inside: PublicCtx<Server> = { ...ctx, realm };
    const users = new Map<string, User>([[first.name, owner]]);
    for (const { name, role } of cast.slice(1)) {
      users.set(name, await createUser(inside, { email: emailOf(name), full_name: name, role, password: PASSWORD }));
    }
    const hamlet = users.get('Hamlet') ?? owner;
    users.set(
      'Echo',
      await createUser(inside, {
        email: emailOf('echo'),
        full_name: 'Echo Bot',
        role: ROLE.member,
        bot: { type: 1, owner_id: hamlet.id },
      }),
    );
    await makeStreams(inside, users);
    return realm;
  });
}

async function makeStreams(ctx: PublicCtx<CollectionLimiting>, users: ReadonlyMap<string, User>): Promise<void> {
  const ids = (...names: string[]) => names.map((name) => requireValue(users.get(name)).id);
  const by = (name: string) => ({ ...ctx, me: requireValue(users.get(name)) });
  const settings = {
    authorization_errors_fatal: true,
    announce: false,
    is_web_public: false,
    stream_post_policy: 1,
  } as const;
  await subscribe(by('Desdemona'), {
    ...settings,
    subscriptions: [{ name: 'general', description: 'Everybody and everything.' }],
    principals: [...users.values()].map(({ id }) => id),
    invite_only: false,
    is_default_stream: true,
  });
  await subscribe(by('Hamlet'), {
    ...settings,
    subscriptions: [{ name: 'design', description: 'How it should look.' }],
    principals: ids('Hamlet', 'Cordelia', 'Iago'),
    invite_only: false,
    is_default_stream: false,
  });
  await subscribe(by('Desdemona'), {
    ...settings,
    subscriptions: [{ name: 'leadership', description: 'Plans.' }],
    principals: ids('Desdemona', 'Iago'),
    invite_only: true,
    is_default_stream: false,
  });
}

async function findUsers(app: DemoServer, realm: Realm): Promise<DemoAccount[]> {
  const found = await listUsersByApiEmails(
    { db: app.database.db, realm },
    cast.map(({ name }) => emailOf(name)),
  );
  return cast.flatMap(({ name, title }) => {
    const user = found.get(emailOf(name));
    if (!user) return [];
    const api_key = app.server.apiKeyOf(realm, user);
    return [{ name, role: title, user_id: user.id, email: user.delivery_email, api_key }];
  });
}
