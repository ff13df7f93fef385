import type { CollectionLimiting } from '../../core/collection-limits.ts';
import type { Ctx } from '../../core/context.ts';
import type { Schema } from '../../core/contract.ts';
import { failInvalid, failOnProblems, failUnknown } from '../../core/errors.ts';
import { hasEachOnce } from '../../core/order.ts';
import { listRoomProblems } from '../../core/require-room.ts';
import { stateQuery } from '../../core/state-query.ts';
import { findCurrentSettings } from '../realm/index.ts';
import {
  deleteLinkifierRow,
  insertLinkifier,
  jsonLinkifiers,
  listLinkifiers,
  updateLinkifierValues,
  updatePositions,
} from './queries.ts';
import { type LinkifierValues, patternTakenProblem, trimValues, valueProblems } from './rules.ts';

type Listed = Schema<'Linkifier'>[];

export async function getLinkifiers(ctx: Ctx): Promise<{ linkifiers: Listed }> {
  return { linkifiers: await listLinkifiers(ctx.db, ctx.realm.id) };
}

/** The part of `POST /register` about linkifiers. */
export const linkifiersState = (ctx: Ctx) =>
  stateQuery(jsonLinkifiers(ctx.realm.id), (realm_linkifiers: Listed) => ({ realm_linkifiers }));

/** Adds a linkifier, which comes after all others. */
export async function addLinkifier(ctx: Ctx<CollectionLimiting>, input: LinkifierValues): Promise<{ id: number }> {
  const values = trimValues(input);
  const problems = valueProblems(values);
  const others = await listInTurn(ctx);
  failOnProblems([...problems, ...patternTakenProblem(values, others), ...(await listRoomProblems(ctx, 'linkifiers'))]);
  const id = await insertLinkifier(ctx.db, ctx.realm.id, values);
  await emitLinkifiers(ctx);
  return { id };
}

export async function updateLinkifier(ctx: Ctx, id: number, input: LinkifierValues): Promise<void> {
  const values = trimValues(input);
  const problems = valueProblems(values);
  const linkifiers = await listInTurn(ctx);
  requireAmong(linkifiers, id);
  const others = linkifiers.filter((one) => one.id !== id);
  failOnProblems([...problems, ...patternTakenProblem(values, others)]);
  await updateLinkifierValues(ctx.db, ctx.realm.id, id, values);
  await emitLinkifiers(ctx);
}

export async function deleteLinkifier(ctx: Ctx, id: number): Promise<void> {
  requireAmong(await listInTurn(ctx), id);
  await deleteLinkifierRow(ctx.db, ctx.realm.id, id);
  await emitLinkifiers(ctx);
}

/** Puts the linkifiers into the order of `ids`, which must contain each of them once. */
export async function reorderLinkifiers(ctx: Ctx, ids: readonly number[]): Promise<void> {
  if (!hasEachOnce(ids, await listInTurn(ctx))) {
    failInvalid('ordered_linkifier_ids: the ids of all linkifiers are needed, each exactly once.');
  }
  await updatePositions(ctx.db, ctx.realm.id, ids);
  await emitLinkifiers(ctx);
}

/**
 * Locks the linkifiers until the commit: events contain all of them, so of two concurrent changes the later one must
 * see the earlier one.
 */
async function listInTurn({ db, realm }: Ctx): Promise<Listed> {
  await findCurrentSettings(db, realm.id, 'update');
  return listLinkifiers(db, realm.id);
}

function requireAmong(linkifiers: Listed, id: number): void {
  if (linkifiers.some((one) => one.id === id)) return;
  failUnknown(`filter_id: there is no linkifier ${id}.`);
}

async function emitLinkifiers(ctx: Ctx): Promise<void> {
  const realm_linkifiers = await listLinkifiers(ctx.db, ctx.realm.id);
  ctx.emit({ type: 'realm_linkifiers', realm_linkifiers }, { everyone: true });
}
