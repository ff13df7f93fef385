import type { PublicCtx, User } from '../core/context.ts';
import type { Schema } from '../core/contract.ts';
import { failInvalid, failUnknown } from '../core/errors.ts';
import type { Server } from '../core/server.ts';
import { findCaller, INCOMING_WEBHOOK } from '../features/auth/index.ts';
import { createToken, listTokens, revokeToken } from '../features/tokens/index.ts';
import { listUsersByIds } from '../features/users/index.ts';
import { columns } from './columns.ts';
import { runInRealm } from './run-in-realm.ts';
import type { CommandHandler } from './types.ts';

interface OfAccount {
  realm: string;
  user_id?: number;
  email?: string;
}

async function requireAccount(ctx: PublicCtx<Server>, { user_id, email }: OfAccount): Promise<User> {
  const account =
    user_id === undefined
      ? (await findCaller(ctx.db, ctx.realm.subdomain, email))?.account
      : (await listUsersByIds(ctx.db, ctx.realm.id, [user_id]))[0];
  if (account && !account.is_system_bot) return account;
  return failUnknown(user_id === undefined ? `There is no user "${email}".` : `There is no user ${user_id}.`);
}

const create: CommandHandler<OfAccount & { params: Record<string, unknown> }> = async ({ app }, { params, ...of }) => {
  // Loaded here, because it takes as long as everything else that a command needs.
  const { validateCommandParams } = await import('../http/command-params.ts');
  const created = await runInRealm(app, of.realm, async (ctx) => {
    const account = await requireAccount(ctx, of);
    if (account.bot_type === INCOMING_WEBHOOK) failInvalid('An incoming webhook has no tokens: use its API key.');
    return createToken(ctx, account, validateCommandParams('createToken', params));
  });
  const { token, secret } = created;
  return { json: created, lines: [`Token ${token.id} of user ${token.user_id}: ${describe(token)}`, secret] };
};

const list: CommandHandler<OfAccount> = async ({ app }, of) => {
  const tokens = await runInRealm(app, of.realm, async (ctx) => listTokens(ctx, (await requireAccount(ctx, of)).id));
  const rows = tokens.map((token) => [token.id, token.name, describe(token), toDate(token.last_used_at) ?? 'never']);
  return { json: tokens, lines: columns([['id', 'name', 'for', 'last used'], ...rows]) };
};

const revoke: CommandHandler<{ realm: string; id: number }> = async ({ app }, { realm, id }) => {
  await runInRealm(app, realm, (ctx) => revokeToken(ctx, id));
  return { json: { token_id: id, revoked: true }, lines: [`Token ${id} is revoked.`] };
};

function describe({ scopes, stream_id, event_types, expires_at }: Schema<'Token'>): string {
  const expiry = toDate(expires_at);
  return [
    scopes.join(', '),
    ...(stream_id === null ? [] : [`stream ${stream_id}`]),
    ...(event_types === null ? [] : [`events ${event_types.join(', ')}`]),
    expiry === undefined ? 'does not expire' : `expires ${expiry}`,
  ].join('; ');
}

const toDate = (seconds: number | null): string | undefined =>
  seconds === null ? undefined : new Date(seconds * 1000).toISOString();

export const tokenWorks = { 'token create': create, 'token list': list, 'token revoke': revoke };
