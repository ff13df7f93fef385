import type { Ctx } from '../../core/context.ts';
import type { Payload } from '../../core/contract.ts';
import { failUnknown } from '../../core/errors.ts';
import { requireValue } from '../../core/require-value.ts';
import { presentAttachment } from './present.ts';
import { deleteUpload } from './queries/files.ts';
import { listAttachmentsOf } from './queries/links.ts';
import { findSpaceUsed, reserveSpace } from './queries/space.ts';

export async function getAttachments(ctx: Ctx): Promise<Payload<'getAttachments'>> {
  const attachments = await listAttachmentsOf(ctx.db, ctx.me);
  return {
    attachments: attachments.map((row) => presentAttachment(ctx.realm.id, row)),
    upload_space_used: await findSpaceUsed(ctx.db, ctx.realm.id),
  };
}

/** Deletes a file of the caller's, linked or not. A file of another user and an unknown id get the same response. */
export async function deleteAttachment(ctx: Ctx, id: number): Promise<void> {
  const size = (await deleteUpload(ctx.db, ctx.me, id)) ?? failUnknown(`You have no file ${id}.`);
  const upload_space_used = requireValue(await reserveSpace(ctx.db, ctx.realm.id, -size, Number.MAX_SAFE_INTEGER));
  ctx.emit({ type: 'attachment', op: 'remove', attachment: { id }, upload_space_used }, { users: [ctx.me.id] });
}
