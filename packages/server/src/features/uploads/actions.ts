import { randomUUID } from 'node:crypto';
import type { CollectionLimiting, FileSpace } from '../../core/collection-limits.ts';
import type { Ctx } from '../../core/context.ts';
import type { Params, Payload } from '../../core/contract.ts';
import { failInvalid, failLimitReached, failNotFound } from '../../core/errors.ts';
import { precheckRoom, requireRoom } from '../../core/require-room.ts';
import type { Sealing } from '../../core/sealing.ts';
import { presentAttachment } from './present.ts';
import { findReadable, insertPiece, insertUpload, type StoredUpload } from './queries/files.ts';
import { findSpaceUsed, reserveSpace } from './queries/space.ts';
import { type Address, getServedType, parseFileName, toUri } from './rules.ts';
import { createTemporaryUrl } from './temporary.ts';

/** Bytes of a file in one row. */
const PIECE = 512 * 1024;
/** Bytes at the beginning of a file that determine its type. */
const HEAD = 64 * 1024;

/** Stores a file. All of it is written in one transaction, so no reader finds a part of it. */
export async function uploadFile(
  ctx: Ctx<CollectionLimiting & FileSpace>,
  { file }: Params<'uploadFile'>,
): Promise<Payload<'uploadFile'>> {
  const { bytes } = file;
  if (bytes.length === 0) failInvalid('file: it is empty.');
  const most = ctx.server.upload_space;
  // Checked before the file is written, and counted exactly afterwards, so that uploads do not wait for each other.
  if (bytes.length + (await findSpaceUsed(ctx.db, ctx.realm.id)) > most) failNoSpace();
  await precheckRoom(ctx, 'uploads', 1);
  await precheckRoom(ctx, 'upload_bytes', bytes.length);
  const row = {
    realm_id: ctx.realm.id,
    user_id: ctx.me.id,
    key: randomUUID(),
    name: parseFileName(file.name),
    content_type: getServedType(await typeIn(bytes)),
    size: bytes.length,
    created_at: ctx.now,
  };
  const id = await insertUpload(ctx.db, { ...row, unlinked_since: ctx.now });
  for (let at = 0; at < bytes.length; at += PIECE) {
    await insertPiece(ctx.db, { realm_id: ctx.realm.id, id }, at, bytes.subarray(at, at + PIECE));
  }
  await requireRoom(ctx, 'uploads', 0);
  await requireRoom(ctx, 'upload_bytes', 0);
  const upload_space_used = (await reserveSpace(ctx.db, ctx.realm.id, bytes.length, most)) ?? failNoSpace();
  const attachment = presentAttachment(ctx.realm.id, { ...row, id, create_time: ctx.now.getTime(), messages: [] });
  ctx.emit({ type: 'attachment', op: 'add', attachment, upload_space_used }, { users: [ctx.me.id] });
  const address = { realm_id: ctx.realm.id, upload_key: row.key, file_name: row.name };
  return { uri: toUri(address), upload_key: row.key, file_name: row.name };
}

/** The type of a file by its first bytes. The library is loaded on first use: commands do not need it. */
async function typeIn(bytes: Uint8Array): Promise<string | undefined> {
  const { fileTypeFromBuffer } = await import('file-type');
  return (await fileTypeFromBuffer(bytes.subarray(0, HEAD)))?.mime;
}

const failNoSpace = (): never =>
  failLimitReached('file: the files of this organization take up all the space that the server gives it.');

/** Returns the file at an address, if the caller can read it. */
export async function findFile(
  ctx: Ctx,
  { realm_id, upload_key, file_name }: Address,
): Promise<StoredUpload | undefined> {
  // Only valid keys are looked up: PostgreSQL rejects some texts.
  if (realm_id !== ctx.realm.id || !/^[0-9a-f-]{36}$/.test(upload_key)) return undefined;
  const found = await findReadable(ctx.db, ctx.me, upload_key);
  return found?.name === file_name ? found : undefined;
}

export async function getFileUrl(ctx: Ctx<Sealing>, address: Params<'getFileUrl'>): Promise<Payload<'getFileUrl'>> {
  const file = (await findFile(ctx, address)) ?? failNotFound('There is no such file.');
  return { url: createTemporaryUrl(ctx, file) };
}
