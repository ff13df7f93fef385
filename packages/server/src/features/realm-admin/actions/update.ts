import { isOwner } from '../../../access/roles.ts';
import type { PublicCtx, RealmSettings, User } from '../../../core/context.ts';
import type { Payload } from '../../../core/contract.ts';
import { fail, failInvalid, failUnknown } from '../../../core/errors.ts';
import { emitGuestVisibility, loadGuestVisibility } from '../../guest-visibility/index.ts';
import { findCurrentSettings, insertAudit, isStream, languages, updateRealmOverrides } from '../../realm/index.ts';
import { refreshFullMembers, requireSettingGroup } from '../../user-groups/index.ts';

import {
  findOwnersSetting,
  groupByEvent,
  listChangedSettings,
  methodProblem,
  originProblem,
  type RealmUpdateParams,
  textProblem,
  toStoredValue,
} from '../rules.ts';

/** The actor of a change: a user, or without `me` the operator, who can change everything. */
export type RealmUpdateCtx = PublicCtx & { readonly me?: User | undefined };

/** Changes settings of the organization, and returns those that differ from before. */
export async function updateRealm(ctx: RealmUpdateCtx, params: RealmUpdateParams): Promise<Payload<'updateRealm'>> {
  const owners = findOwnersSetting(params);
  if (owners && ctx.me && !isOwner(ctx.me)) {
    fail('UNAUTHORIZED_PRINCIPAL', `You must be an organization owner to change ${owners}.`);
  }
  // Locked: two requests that switch different authentication methods must not undo each other.
  const before = await findCurrentSettings(ctx.db, ctx.realm.id, 'update');
  await checkSettings(ctx, params, before);
  const changes = listChangedSettings(toStoredValue(params, before), before);
  if (Object.keys(changes).length === 0) return {};
  const visibility = changes.can_access_all_users_group === undefined ? undefined : await loadGuestVisibility(ctx);
  await updateRealmOverrides(ctx.db, ctx.realm.id, changes);
  emitRealmChanges(ctx, changes);
  if (changes.waiting_period_threshold !== undefined) await refreshFullMembers(ctx);
  if (visibility) await emitGuestVisibility(ctx, visibility);
  await insertAudit(ctx, 'realm settings changed', changes);
  return changes;
}

async function checkSettings(ctx: RealmUpdateCtx, params: RealmUpdateParams, before: RealmSettings): Promise<void> {
  const problem =
    textProblem(params, languages) ?? originProblem(params) ?? methodProblem(params, before.authentication_methods);
  if (problem !== undefined) failInvalid(problem);
  for (const name of ['notifications_stream_id', 'signup_notifications_stream_id'] as const) {
    const id = params[name];
    if (id === undefined || id === -1 || (await isStream(ctx.db, ctx.realm.id, id))) continue;
    failUnknown(`${name}: there is no stream ${id}.`);
  }
  for (const name of ['create_multiuse_invite_group', 'can_access_all_users_group'] as const) {
    const id = params[name];
    if (id !== undefined) await requireSettingGroup(ctx, name, id);
  }
}

function emitRealmChanges(ctx: RealmUpdateCtx, changes: Partial<RealmSettings>): void {
  const { data, single } = groupByEvent(changes);
  for (const [property, value] of single) {
    ctx.emit({ type: 'realm', op: 'update', property, value }, { everyone: true });
  }
  if (Object.keys(data).length > 0) {
    ctx.emit({ type: 'realm', op: 'update_dict', property: 'default', data }, { everyone: true });
  }
}
