import { randomUUID } from 'node:crypto';
import { isAdministrator } from '../../access/roles.ts';
import type { Ctx } from '../../core/context.ts';
import type { Params, Payload } from '../../core/contract.ts';
import { failForbidden } from '../../core/errors.ts';
import type { Transactions } from '../../core/server.ts';
import { emitBotAvatarChanged } from '../bots/index.ts';
import { findCurrentSettings } from '../realm/index.ts';
import {
  findAudienceOfUser,
  getAvatarSource,
  getAvatarUrl,
  getMediumAvatarUrl,
  requireLockedUser,
} from '../users/index.ts';
import { type AvatarPictures, renderAvatarPictures } from './pictures.ts';
import { deletePictures, replacePictures, updateAvatar } from './queries.ts';
import { canChangeAvatar } from './rules.ts';

/** Gives the caller an avatar of their own. The picture takes longer than a transaction should be open. */
export async function uploadAvatar(
  ctx: Ctx<Transactions>,
  { file }: Params<'uploadAvatar'>,
): Promise<Payload<'uploadAvatar'>> {
  await requireMayChange(ctx);
  const pictures = await renderAvatarPictures(ctx.me, file.bytes);
  return ctx.server.inTransaction(ctx, async (inside) => {
    await requireMayChange(inside);
    return changeAvatar(inside, pictures);
  });
}

export async function deleteAvatar(ctx: Ctx): Promise<Payload<'deleteAvatar'>> {
  await requireMayChange(ctx);
  return changeAvatar(ctx, undefined);
}

async function requireMayChange(ctx: Ctx): Promise<void> {
  const { avatar_changes_disabled } = await findCurrentSettings(ctx.db, ctx.realm.id);
  if (canChangeAvatar({ is_administrator: isAdministrator(ctx.me) }, { avatar_changes_disabled })) return;
  failForbidden('Only administrators change avatars in this organization.');
}

/** Serializes changes: of two concurrent ones, the later one is emitted last. */
async function changeAvatar(ctx: Ctx, pictures: AvatarPictures | undefined): Promise<{ avatar_url: string }> {
  const before = await requireLockedUser(ctx.db, ctx.me);
  if (!pictures && before.avatar_key === null) return { avatar_url: getAvatarUrl(before) };
  const user = {
    ...before,
    avatar_key: pictures ? randomUUID() : null,
    avatar_version: before.avatar_version + 1,
  };
  if (pictures && user.avatar_key !== null) await replacePictures(ctx.db, user, user.avatar_key, pictures);
  else await deletePictures(ctx.db, user);
  const { avatar_key, avatar_version } = user;
  await updateAvatar(ctx.db, user, { avatar_key, avatar_version });
  const avatar_url = getAvatarUrl(user);
  const changed = {
    user_id: user.id,
    avatar_source: getAvatarSource(user),
    avatar_url,
    avatar_url_medium: getMediumAvatarUrl(user),
    avatar_version,
  } as const;
  ctx.emit({ type: 'realm_user', op: 'update', person: changed }, await findAudienceOfUser(ctx, user.id));
  if (user.bot_type !== null) emitBotAvatarChanged(ctx, user);
  return { avatar_url };
}
