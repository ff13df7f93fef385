import type { Ctx, User } from '../../../core/context.ts';
import type { UserSettings } from '../../user-settings/index.ts';
import { emitAddressChanges, findAudienceOfUser, getApiEmail } from '../../users/index.ts';

/** Emits changed settings to the users who see them. `me` is the user before the change. */
export async function emitToOthers(
  ctx: Ctx,
  me: User,
  { timezone, email_address_visibility, presence_enabled }: Partial<UserSettings>,
): Promise<void> {
  if (email_address_visibility !== undefined) await emitAddressChanges(ctx, me, { ...me, email_address_visibility });
  const email = getApiEmail(ctx.realm, { ...me, ...(email_address_visibility && { email_address_visibility }) });
  if (timezone !== undefined) {
    const user = { user_id: me.id, timezone, email };
    ctx.emit({ type: 'realm_user', op: 'update', person: user }, await findAudienceOfUser(ctx, me.id));
  }
  if (presence_enabled !== undefined) {
    const away = !presence_enabled;
    ctx.emit({ type: 'user_status', user_id: me.id, away }, await findAudienceOfUser(ctx, me.id));
  }
}
