import { ROLE } from '../../../access/roles.ts';
import type { PublicCtx, Realm, ServerCtx, User } from '../../../core/context.ts';
import { failConflict, failInvalid } from '../../../core/errors.ts';
import { presentRealm, type ServerAddress } from '../../realm/index.ts';
import { createSystemGroups, systemGroupIds } from '../../user-groups/index.ts';
import { audit } from '../audit.ts';
import { insertRealm, insertUser, updateRealmOverrides } from '../queries.ts';
import { realmNameProblem, subdomainProblem } from '../rules.ts';
import { createUser } from './create-user.ts';

export interface NewRealm {
  subdomain: string;
  name: string;
  owner: { email: string; full_name: string; password: string };
}

/** Creates an organization with its system groups, the Notification Bot and the owner. */
export async function createRealm(
  ctx: ServerCtx,
  serverAddress: ServerAddress,
  newRealm: NewRealm,
): Promise<{ realm: Realm; owner: User }> {
  const name = newRealm.name.trim();
  const problem = subdomainProblem(newRealm.subdomain) ?? realmNameProblem(name);
  if (problem !== undefined) failInvalid(problem);
  const { id: realm_id, key_salt } =
    (await insertRealm(ctx.db, newRealm.subdomain, { name }, ctx.now)) ??
    failConflict(`There is already an organization at the subdomain "${newRealm.subdomain}".`);
  await createSystemGroups(ctx.db, realm_id);
  const groups = await systemGroupIds(ctx.db, realm_id);
  const settings = {
    name,
    create_multiuse_invite_group: groups['role:administrators'],
    can_access_all_users_group: groups['role:everyone'],
  };
  await updateRealmOverrides(ctx.db, realm_id, settings);
  const row = {
    id: realm_id,
    subdomain: newRealm.subdomain,
    key_salt,
    created_at: ctx.now,
    deactivated_at: null,
    overrides: settings,
    limits_guests: false,
    has_linkifiers: false,
    last_event_id: 0,
  };
  const realm = presentRealm(serverAddress, row);
  // The organization is visible to others only after the commit.
  const inside: PublicCtx = { ...ctx, realm: { ...realm, has_locked_settings: true } };
  await createNotificationBot(inside);
  await audit(inside, undefined, 'realm created', { subdomain: newRealm.subdomain });
  const owner = await createUser(inside, { ...newRealm.owner, role: ROLE.owner });
  return { realm, owner };
}

async function createNotificationBot(ctx: PublicCtx): Promise<void> {
  const email = `notification-bot@${ctx.realm.host}`;
  await insertUser(ctx.db, {
    realm_id: ctx.realm.id,
    delivery_email: email,
    email_key: email.toLowerCase(),
    full_name: 'Notification Bot',
    role: ROLE.member,
    is_system_bot: true,
    bot_type: 1,
    date_joined: ctx.now,
  });
}
