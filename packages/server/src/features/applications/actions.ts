import type { CollectionLimiting } from '../../core/collection-limits.ts';
import type { Ctx } from '../../core/context.ts';
import type { Params, Payload } from '../../core/contract.ts';
import { failConflict, failInvalid, failNotFound } from '../../core/errors.ts';
import type { PollEnding } from '../../core/polls.ts';
import { requireRoom } from '../../core/require-room.ts';
import { listApplicationTokensForUpdate } from '../tokens/index.ts';
import { audit } from '../user-admin/index.ts';
import { presentApplication } from './present.ts';
import {
  type ApplicationRow,
  deleteApplicationRow,
  insertApplication,
  listApplications,
  listTokensBeyondScopes,
  lockApplication,
  updateApplicationRow,
} from './queries.ts';
import { applicationNameProblem, isWithin, redirectUriProblem } from './rules.ts';
import { generateClientSecret, hashClientSecret } from './secrets.ts';
import { endApplicationTokens } from './tokens.ts';

export async function getApplications(ctx: Ctx): Promise<Payload<'getApplications'>> {
  return { applications: (await listApplications(ctx.db, ctx.realm.id)).map(presentApplication) };
}

export async function createApplication(
  ctx: Ctx<CollectionLimiting>,
  { name, redirect_uris, scopes, is_confidential }: Params<'createApplication'>,
): Promise<Payload<'createApplication'>> {
  const values = { name: requireName(name), redirect_uris: requireRedirectUris(redirect_uris), scopes };
  await requireRoom(ctx, 'applications', 1);
  const secret = is_confidential ? generateClientSecret() : null;
  const row = await insertApplication(ctx.db, {
    ...values,
    realm_id: ctx.realm.id,
    secret_hash: secret && hashClientSecret(secret),
    creator_id: ctx.me.id,
    created_at: ctx.now,
  });
  await audit(ctx, ctx.me, 'application created', { application_id: row.id, ...values, is_confidential });
  return { application: presentApplication(row), secret };
}

export async function updateApplication(
  ctx: Ctx<PollEnding>,
  { application_id, name, redirect_uris, scopes }: Params<'updateApplication'>,
): Promise<Payload<'updateApplication'>> {
  const application = await requireApplication(ctx, application_id);
  const change = {
    ...(name !== undefined && { name: requireName(name) }),
    ...(redirect_uris !== undefined && { redirect_uris: requireRedirectUris(redirect_uris) }),
    ...(scopes !== undefined && { scopes }),
  };
  if (Object.keys(change).length > 0) {
    await updateApplicationRow(ctx.db, application, change);
    if (scopes !== undefined && !isWithin(application.scopes, scopes))
      await endApplicationTokens(ctx, await listTokensBeyondScopes(ctx.db, application, scopes), ctx.me);
    await audit(ctx, ctx.me, 'application changed', { application_id, ...change });
  }
  return { application: presentApplication({ ...application, ...change }) };
}

export async function deleteApplication(ctx: Ctx<PollEnding>, application_id: number): Promise<void> {
  const application = await requireApplication(ctx, application_id);
  const tokens = await listApplicationTokensForUpdate(ctx.db, ctx.realm.id, application_id);
  await endApplicationTokens(ctx, tokens, ctx.me);
  await deleteApplicationRow(ctx.db, application);
  await audit(ctx, ctx.me, 'application deleted', { application_id, name: application.name });
}

export async function regenerateApplicationSecret(
  ctx: Ctx,
  application_id: number,
): Promise<Payload<'regenerateApplicationSecret'>> {
  const application = await requireApplication(ctx, application_id);
  if (application.secret_hash === null)
    failConflict(`The application ${application_id} has no secret: it is not confidential.`);
  const secret = generateClientSecret();
  await updateApplicationRow(ctx.db, application, { secret_hash: hashClientSecret(secret) });
  await audit(ctx, ctx.me, 'application secret regenerated', { application_id });
  return { secret };
}

/** Locks and returns the application. */
async function requireApplication(ctx: Ctx, id: number): Promise<ApplicationRow> {
  const found = await lockApplication(ctx.db, ctx.realm.id, id, 'update');
  return found ?? failNotFound(`There is no application ${id}.`);
}

function requireName(text: string): string {
  const name = text.trim();
  const problem = applicationNameProblem(name);
  return problem === undefined ? name : failInvalid(problem);
}

function requireRedirectUris(uris: string[]): string[] {
  const problem = uris.map(redirectUriProblem).find((one) => one !== undefined);
  return problem === undefined ? uris : failInvalid(problem);
}
