import type { CollectionLimiting } from '../../core/collection-limits.ts';
import type { Ctx } from '../../core/context.ts';
import type { Schema } from '../../core/contract.ts';
import { failOnProblems, failUnknown } from '../../core/errors.ts';
import { listRoomProblems } from '../../core/require-room.ts';
import { stateQuery } from '../../core/state-query.ts';
import { findCurrentSettings } from '../realm/index.ts';
import { deletePlaygroundRow, insertPlayground, jsonPlaygrounds, listPlaygrounds } from './queries.ts';
import { nameTakenProblem, type PlaygroundValues, trimValues, valueProblems } from './rules.ts';

type Listed = Schema<'Playground'>[];

/** The part of `POST /register` about playgrounds. */
export const playgroundsState = (ctx: Ctx) =>
  stateQuery(jsonPlaygrounds(ctx.realm.id), (realm_playgrounds: Listed) => ({ realm_playgrounds }));

export async function addPlayground(ctx: Ctx<CollectionLimiting>, input: PlaygroundValues): Promise<{ id: number }> {
  const values = trimValues(input);
  const others = await listInTurn(ctx);
  const room = await listRoomProblems(ctx, 'playgrounds');
  failOnProblems([...valueProblems(values), ...nameTakenProblem(values, others), ...room]);
  const id = await insertPlayground(ctx.db, ctx.realm.id, values);
  await emitPlaygrounds(ctx);
  return { id };
}

export async function deletePlayground(ctx: Ctx, id: number): Promise<void> {
  await listInTurn(ctx);
  if (!(await deletePlaygroundRow(ctx.db, ctx.realm.id, id))) {
    failUnknown(`playground_id: there is no playground ${id}.`);
  }
  await emitPlaygrounds(ctx);
}

/**
 * Locks the playgrounds until the commit: events contain all of them, so of two concurrent changes the later one must
 * see the earlier one.
 */
async function listInTurn({ db, realm }: Ctx): Promise<Listed> {
  await findCurrentSettings(db, realm.id, 'update');
  return listPlaygrounds(db, realm.id);
}

async function emitPlaygrounds(ctx: Ctx): Promise<void> {
  const realm_playgrounds = await listPlaygrounds(ctx.db, ctx.realm.id);
  ctx.emit({ type: 'realm_playgrounds', realm_playgrounds }, { everyone: true });
}
