import type { Ctx } from '../../../core/context.ts';
import { failForbidden } from '../../../core/errors.ts';
import { defaultUserSettings } from '../../user-settings/index.ts';
import { listVisibleUserIds } from '../../users/index.ts';
import { requireMessage } from '../access.ts';
import { listReaders } from '../queries/receipts.ts';

/** Returns the users who have read a message and share their read receipts (docs/behaviour/messages.md#read-receipts). */
export async function getReadReceipts(ctx: Ctx, message_id: number): Promise<number[]> {
  const { id } = await requireMessage(ctx, message_id);
  if (!ctx.realm.settings.enable_read_receipts) {
    failForbidden('Read receipts are disabled in this organization.');
  }
  const readers = await listReaders(ctx.db, ctx.realm.id, id, defaultUserSettings.send_read_receipts);
  const visible = await listVisibleUserIds(ctx);
  return visible === 'all' ? readers : readers.filter((reader) => visible.has(reader));
}
