import { canSeeStream } from '../../access/rules.ts';
import type { CollectionLimiting } from '../../core/collection-limits.ts';
import type { Ctx } from '../../core/context.ts';
import type { Params, Payload, Schema } from '../../core/contract.ts';
import { failConflict, failInvalid, failNotFound, failUnknown } from '../../core/errors.ts';
import { bounds } from '../../core/limits.ts';
import { requireRoom } from '../../core/require-room.ts';
import { requireValue } from '../../core/require-value.ts';
import { countBytes, getResponseBudget, readPage } from '../../core/response-size.ts';
import { stateQuery } from '../../core/state-query.ts';
import { findUsersByIdOrEmail } from '../messages/index.ts';
import { findStreamsByIds } from '../streams/index.ts';
import { findUserSettingsOf } from '../user-settings/index.ts';
import { lockUser } from '../users/index.ts';
import {
  type DraftRow,
  deleteDraftRow,
  findDraftBytes,
  insertDrafts,
  jsonNewestDrafts,
  listDraftSizes,
  listDrafts,
  updateDraftRow,
} from './queries.ts';
import { type DraftFields, draftProblem, fieldsOf, type SizedDraftFields } from './rules.ts';

type Draft = Schema<'Draft'>;
type NewDraft = Schema<'NewDraft'>;

/** The caller's drafts from one on: as many as the response has room for. */
export async function getDrafts(ctx: Ctx, { offset }: Params<'getDrafts'>): Promise<Payload<'getDrafts'>> {
  await requireDraft(ctx);
  const items = await listDraftSizes(ctx.db, ctx.me);
  const load = async (ids: number[]) => (await listDrafts(ctx.db, ctx.me, ids)).map(presentRow);
  const { page, has_more } = await readPage({ items, offset, room: getResponseBudget('getDrafts'), load });
  return { count: items.length, drafts: page, has_more };
}

/** The part of `POST /register` about drafts: the newest (docs/behaviour/limits.md#windows-and-batches). */
export const draftsState = (ctx: Ctx) =>
  stateQuery(
    jsonNewestDrafts(ctx.me, bounds.drafts),
    (found: (Omit<DraftRow, 'changed_at'> & { changed_at: number })[]) => ({
      drafts: found.map((row) => presentRow({ ...row, changed_at: new Date(row.changed_at) })),
    }),
  );

export async function createDrafts(
  ctx: Ctx<CollectionLimiting>,
  newDrafts: readonly NewDraft[],
): Promise<{ ids: number[] }> {
  await requireTurn(ctx);
  await requireRoom(ctx, 'drafts', newDrafts.length);
  const all = await requireDrafts(ctx, newDrafts);
  await requireRoom(
    ctx,
    'draft_bytes',
    all.reduce((sum, { bytes }) => sum + bytes, 0),
  );
  const ids = await insertDrafts(ctx.db, ctx.me, all);
  const drafts = all.map((fields, n) => presentDraft(requireValue(ids[n]), fields));
  if (drafts.length > 0) ctx.emit({ type: 'drafts', op: 'add', drafts }, { users: [ctx.me.id] });
  return { ids };
}

export async function updateDraft(ctx: Ctx<CollectionLimiting>, id: number, draft: NewDraft): Promise<void> {
  await requireTurn(ctx);
  const [fields] = await requireDrafts(ctx, [draft]);
  const before = await findDraftBytes(ctx.db, ctx.me, id);
  if (!fields || before === undefined) return unknownDraft(id);
  if (fields.bytes > before) await requireRoom(ctx, 'draft_bytes', fields.bytes - before);
  await updateDraftRow(ctx.db, ctx.me, id, fields);
  ctx.emit({ type: 'drafts', op: 'update', draft: presentDraft(id, fields) }, { users: [ctx.me.id] });
}

export async function deleteDraft(ctx: Ctx, id: number): Promise<void> {
  await requireTurn(ctx);
  if (!(await deleteDraftRow(ctx.db, ctx.me, id))) unknownDraft(id);
  ctx.emit({ type: 'drafts', op: 'remove', draft_id: id }, { users: [ctx.me.id] });
}

/** Locked: turning the setting off deletes the drafts, so no new one can be added concurrently. */
async function requireTurn(ctx: Ctx): Promise<void> {
  await lockUser(ctx.db, ctx.me);
  await requireDraft(ctx);
}

async function requireDraft(ctx: Ctx): Promise<void> {
  const { enable_drafts_synchronization } = await findUserSettingsOf(ctx.db, ctx.me);
  if (!enable_drafts_synchronization)
    failConflict('Your setting enable_drafts_synchronization is off: the server keeps no drafts for you.');
}

/** Drafts in their stored form. Fails unless all are valid and have destinations that the caller can see. */
async function requireDrafts(ctx: Ctx, drafts: readonly NewDraft[]): Promise<SizedDraftFields[]> {
  const all = drafts.map((draft) => fieldsOf(draft, ctx.now));
  for (const fields of all) {
    const problem = draftProblem(fields);
    if (problem !== undefined) failInvalid(problem);
  }
  const to = (type: DraftFields['type']) => all.flatMap((one) => (one.type === type ? one.to : []));
  const streams = await findStreamsByIds(ctx, to('stream'));
  for (const id of to('stream')) {
    const stream = streams.get(id);
    if (!stream || !canSeeStream(ctx.me, stream, stream.subscribed)) failUnknown(`to: there is no stream ${id}.`);
  }
  const found = await findUsersByIdOrEmail(ctx, to('private'));
  for (const id of to('private')) if (!found.has(id)) failUnknown(`to: there is no user ${id}.`);
  return all.map((fields) => ({ ...fields, bytes: countBytes(presentDraft(Number.MAX_SAFE_INTEGER, fields)) }));
}

function unknownDraft(id: number): never {
  return failNotFound(`There is no draft ${id}.`);
}

const presentRow = (row: DraftRow): Draft => presentDraft(row.id, row);

const presentDraft = (id: number, { type, to, topic, content, changed_at }: DraftFields): Draft => ({
  id,
  type,
  to: [...to],
  topic,
  content,
  timestamp: Math.floor(changed_at.getTime() / 1000),
});
