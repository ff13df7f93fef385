import { failInvalid } from '../core/errors.ts';
import { transact } from '../core/transaction.ts';
import { deactivateRealm, reactivateRealm, updateRealm } from '../features/realm-admin/index.ts';
import { createRealm, listRealms } from '../features/user-admin/index.ts';
import { columns } from './columns.ts';
import { operatorCaller, requireRealm, runInRealm } from './run-in-realm.ts';
import type { CommandHandler } from './types.ts';

interface Create {
  subdomain: string;
  name: string;
  owner: { email: string; full_name: string; password: string };
}

interface Named {
  subdomain: string;
}

const create: CommandHandler<Create> = async ({ app }, params) => {
  const { realm, owner } = await transact(app, operatorCaller, (ctx) => createRealm(ctx, app.serverAddress, params));
  const api_key = app.server.apiKeyOf(realm, owner);
  return {
    json: { realm_id: realm.id, user_id: owner.id, email: owner.delivery_email, api_key },
    lines: [
      `The URL of organization ${realm.id} is ${realm.url}.`,
      `Owner: ${owner.delivery_email}, user ${owner.id}, API key ${api_key}`,
    ],
  };
};

const list: CommandHandler<object> = async ({ app }) => {
  const realms = await listRealms(app.database.db);
  const rows = realms.map((one) => [
    one.realm_id,
    one.subdomain || '(root)',
    one.name,
    one.deactivated ? 'deactivated' : 'active',
  ]);
  return { json: realms, lines: columns([['id', 'subdomain', 'name', 'state'], ...rows]) };
};

const show: CommandHandler<Named> = async ({ app }, { subdomain }) => {
  const { id, url, created_at, deactivated, settings } = await requireRealm(app, subdomain);
  const facts = { realm_id: id, subdomain, url, created_at: created_at.toISOString(), deactivated };
  const lines = Object.entries({ ...facts, ...settings }).map(([name, value]) => [name, JSON.stringify(value)]);
  return { json: { ...facts, settings }, lines: columns(lines) };
};

const set: CommandHandler<Named & { key: string; value: string }> = async ({ app }, { subdomain, key, value }) => {
  // Loaded here, because it takes as long as everything else that a command needs.
  const { validateCommandParams, isParameter, parseCommandParam } = await import('../http/command-params.ts');
  if (!isParameter('updateRealm', key)) failInvalid(`"${key}" is not a setting of an organization.`);
  const changes = await runInRealm(app, subdomain, async (ctx) => {
    const params = validateCommandParams('updateRealm', { [key]: parseCommandParam('updateRealm', key, value) });
    return updateRealm(ctx, params);
  });
  const lines = Object.entries(changes).map(([name, now]) => `${name} is now ${JSON.stringify(now)}.`);
  return { json: changes, lines: lines.length > 0 ? lines : [`${key} already has this value.`] };
};

const deactivate: CommandHandler<Named> = async ({ app }, { subdomain }) => {
  await runInRealm(app, subdomain, deactivateRealm);
  return { json: { subdomain, deactivated: true }, lines: [`The organization at "${subdomain}" is deactivated.`] };
};

const reactivate: CommandHandler<Named> = async ({ app }, { subdomain }) => {
  await runInRealm(app, subdomain, reactivateRealm);
  return { json: { subdomain, deactivated: false }, lines: [`The organization at "${subdomain}" is active.`] };
};

export const realmWorks = {
  'realm create': create,
  'realm list': list,
  'realm show': show,
  'realm set': set,
  'realm deactivate': deactivate,
  'realm reactivate': reactivate,
};
