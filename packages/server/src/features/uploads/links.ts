// Links from messages to files. A message gives its readers access to the linked files that its author can read, and to
// no others.
import type { Ctx, PublicCtx } from '../../core/context.ts';
import { presentAttachment } from './present.ts';
import { insertLinks, listAttachments, replaceLinks, replaceScheduledLinks } from './queries/links.ts';

/** A file that a text links, by its URL. */
export interface Linked {
  readonly realm_id: number;
  readonly key: string;
}

const keysIn = (ctx: Ctx, links: readonly Linked[]): string[] =>
  // Messages of the server quote texts of users: they must not give access to files that these users could not read.
  ctx.me.is_system_bot ? [] : links.filter(({ realm_id }) => realm_id === ctx.realm.id).map(({ key }) => key);

/** Stores which files new messages of `ctx.me` link. Without a link it costs nothing. */
export async function linkUploads(
  ctx: Ctx,
  messages: readonly { id: number; uploads: readonly Linked[] }[],
): Promise<void> {
  const links = messages.flatMap(({ id, uploads }) => keysIn(ctx, uploads).map((key) => ({ message_id: id, key })));
  if (links.length === 0) return;
  const uploads = await insertLinks(ctx.db, ctx.me, links);
  await emitAttachmentsUpdated(
    ctx,
    uploads,
    messages.map(({ id }) => id),
  );
}

/** The same for a message of `ctx.me` whose text was changed. */
export async function relinkUploads(ctx: Ctx, message_id: number, links: readonly Linked[]): Promise<void> {
  await emitAttachmentsUpdated(ctx, await replaceLinks(ctx.db, ctx.me, message_id, keysIn(ctx, links)), [message_id]);
}

/** The same for an unsent message of `ctx.me`. */
export async function relinkScheduled(ctx: Ctx, scheduled_message_id: number, links: readonly Linked[]): Promise<void> {
  await replaceScheduledLinks(ctx.db, ctx.me, scheduled_message_id, keysIn(ctx, links));
}

/**
 * Emits to the owners of uploads the messages that link them now; with `messages`, only to owners who can read one of
 * these.
 */
export async function emitAttachmentsUpdated(
  ctx: PublicCtx,
  upload_ids: readonly number[],
  message_ids?: readonly number[],
): Promise<void> {
  if (upload_ids.length === 0) return;
  for (const row of await listAttachments(ctx.db, ctx.realm.id, upload_ids, message_ids)) {
    const attachment = presentAttachment(ctx.realm.id, row);
    ctx.emit({ type: 'attachment', op: 'update', attachment, upload_space_used: row.space }, { users: [row.user_id] });
  }
}
