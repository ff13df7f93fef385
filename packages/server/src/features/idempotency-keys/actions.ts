import type { Ctx } from '../../core/context.ts';
import { ApiError, type ErrorCode, refuse } from '../../core/errors.ts';
import { claimKey, deleteKey, type Earlier, insertAnswer, updateAnswer } from './queries.ts';

/** A request that its client gave a name. */
export interface Named {
  readonly key: string;
  readonly fingerprint: string;
  /** Reads what `ctx.server.seal` wrote. */
  readonly unseal: (sealed: string) => string;
}

type Work = () => Promise<object>;

// Some answers have API keys in them, and nothing secret lies readable in the database.
const sealed = (ctx: Ctx, answer: object): string => ctx.server.seal(JSON.stringify(answer));

/**
 * Carries out a request within its transaction, unless it was carried out before: then gives the answer of that time. The
 * answer commits with what the request did, so neither is ever there without the other.
 */
export async function once(ctx: Ctx, named: Named, work: Work): Promise<object> {
  const earlier = await claimKey(ctx.db, ctx.me, { ...named, now: ctx.now });
  if (earlier) return replay(earlier, named);
  const answer = await work();
  await updateAnswer(ctx.db, ctx.me, named.key, sealed(ctx, answer));
  return answer;
}

/** The same for an operation that opens transactions itself: while it is at work, a repeat is refused. */
export async function onceApart(ctx: Ctx, named: Named, work: Work): Promise<object> {
  const earlier = await claimKey(ctx.db, ctx.me, { ...named, now: ctx.now });
  if (earlier) return replay(earlier, named);
  const answer = await work().catch(async (error: unknown) => {
    const refusal = refusalBody(error);
    if (refusal) await updateAnswer(ctx.db, ctx.me, named.key, sealed(ctx, refusal));
    else await deleteKey(ctx.db, ctx.me, named.key);
    throw error;
  });
  await updateAnswer(ctx.db, ctx.me, named.key, sealed(ctx, answer));
  return answer;
}

/** Remembers that a request was refused, which undid its transaction. What happened under the key before it stays. */
export async function rememberRefusal(ctx: Ctx, named: Named, error: unknown): Promise<void> {
  const refusal = refusalBody(error);
  if (!refusal) return;
  await insertAnswer(ctx.db, ctx.me, { ...named, now: ctx.now }, sealed(ctx, refusal));
}

// A spent limit is free again soon, and a failure of ours may not happen again.
const passing: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'RATE_LIMIT_HIT',
  'INTERNAL_SERVER_ERROR',
  'SERVICE_UNAVAILABLE',
]);

function refusalBody(error: unknown): object | undefined {
  if (!(error instanceof ApiError) || passing.has(error.code)) return undefined;
  return { result: 'error', code: error.code, msg: error.message, extras: error.extras };
}

function replay({ fingerprint, answer }: Earlier, named: Named): object {
  if (fingerprint !== named.fingerprint) {
    refuse('BAD_REQUEST', 'Idempotency-Key: another request was sent under this key.');
  }
  if (answer === null) {
    refuse('RATE_LIMIT_HIT', 'Idempotency-Key: the first request under this key is still being carried out.', {
      'retry-after': 1,
    });
  }
  const given = JSON.parse(named.unseal(answer)) as { result: string } & Pick<ApiError, 'code' | 'extras'> & {
      msg: string;
    };
  if (given.result === 'error') throw new ApiError(given.code, given.msg, given.extras);
  return given;
}
