import type { Ctx } from '../../core/context.ts';
import {
  ApiError,
  createError,
  type ErrorCode,
  fail,
  failConflict,
  NotFoundError,
  toErrorContent,
} from '../../core/errors.ts';
import { bounds } from '../../core/limits.ts';
import type { Sealing } from '../../core/sealing.ts';
import { claimKey, deleteKey, insertResponse, type StoredResponse, updateResponse } from './queries.ts';
import { countNewKey, countStoredBytes, KeyLimitError, type KeyLimits } from './usage.ts';

/** A request with an `Idempotency-Key`. */
export interface IdempotentRequest {
  readonly key: string;
  /** Hashed with the present secret, which is stored, and with the previous one. */
  readonly fingerprints: readonly [string, ...string[]];
  /** The parameters of the request. */
  readonly sent: Readonly<Record<string, unknown>>;
  /** Absent: the account can have any number of keys. */
  readonly limits?: KeyLimits;
}

type Work = () => Promise<object>;

// Some answers have API keys in them, and nothing secret lies readable in the database.
function sealed(ctx: Ctx<Sealing>, response: object): string {
  const text = JSON.stringify(response);
  const sealedText = ctx.server.seal(
    'idempotent_response',
    ctx.realm,
    text.length > bounds.idempotent_response ? JSON.stringify({ result: TOO_LARGE }) : text,
  );
  countStoredBytes(ctx, sealedText.length);
  return sealedText;
}

/** The placeholder of a response that is too large to be stored. */
const TOO_LARGE = 'too large';

/**
 * Handles a request within its transaction, unless it was handled before: then returns the stored response. The
 * response commits with the changes of the request, so neither exists without the other.
 */
export async function runIdempotent(ctx: Ctx<Sealing>, named: IdempotentRequest, work: Work): Promise<object> {
  const earlier = await claimKey(ctx.db, ctx.me, claimOf(ctx, named));
  if (earlier) return replay(ctx, earlier, named);
  if (named.limits) await countNewKey(ctx, named.limits);
  const response = await work();
  await updateResponse(ctx.db, ctx.me, named.key, sealed(ctx, response));
  return response;
}

/** The same for an operation that opens transactions itself: while it is at work, a repeat is refused. */
export async function runIdempotentOutsideTransaction(
  ctx: Ctx<Sealing>,
  named: IdempotentRequest,
  work: Work,
): Promise<object> {
  const earlier = await claimKey(ctx.db, ctx.me, claimOf(ctx, named));
  if (earlier) return replay(ctx, earlier, named);
  const response = await countedWork(ctx, named, work).catch(async (error: unknown) => {
    const errorResponse = toErrorBody(error, named);
    if (errorResponse) await updateResponse(ctx.db, ctx.me, named.key, sealed(ctx, errorResponse));
    else await deleteKey(ctx.db, ctx.me, named.key);
    throw error;
  });
  await updateResponse(ctx.db, ctx.me, named.key, sealed(ctx, response));
  return response;
}

async function countedWork(ctx: Ctx, { limits }: IdempotentRequest, work: Work): Promise<object> {
  if (limits) await countNewKey(ctx, limits);
  return work();
}

/** Remembers that a request was refused, which undid its transaction. What happened under the key before it stays. */
export async function storeErrorResponse(ctx: Ctx<Sealing>, named: IdempotentRequest, error: unknown): Promise<void> {
  const errorResponse = toErrorBody(error, named);
  if (!errorResponse) return;
  await insertResponse(ctx.db, ctx.me, claimOf(ctx, named), sealed(ctx, errorResponse));
}

// A rate limit ends soon, and a failure of the server may not happen again.
const passing: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'RATE_LIMIT_HIT',
  'INTERNAL_SERVER_ERROR',
  'SERVICE_UNAVAILABLE',
]);

/** An error response as it is stored. */
interface StoredError extends Pick<ApiError, 'code' | 'extras'> {
  readonly result: 'error';
  readonly msg: string;
  /** The status was 404: the path named an unknown object. */
  readonly path_not_found?: true;
}

function toErrorBody(error: unknown, { sent }: IdempotentRequest): object | undefined {
  if (!(error instanceof ApiError) || error instanceof KeyLimitError || passing.has(error.code)) return undefined;
  const { message, extras } = toErrorContent(error, sent);
  const stored: StoredError = { result: 'error', code: error.code, msg: message, extras };
  return error instanceof NotFoundError ? { ...stored, path_not_found: true } : stored;
}

const claimOf = ({ now }: Ctx, { key, fingerprints: [fingerprint] }: IdempotentRequest) => ({ key, fingerprint, now });

function replay(
  { realm, server }: Ctx<Sealing>,
  { fingerprint, answer }: StoredResponse,
  { fingerprints }: IdempotentRequest,
): object {
  if (!fingerprints.includes(fingerprint)) {
    failConflict('Idempotency-Key: another request was sent under this key.');
  }
  if (answer === null) {
    fail('RATE_LIMIT_HIT', 'Idempotency-Key: the first request under this key is still being carried out.', {
      'retry-after': 1,
    });
  }
  const stored = JSON.parse(server.unseal('idempotent_response', realm, answer)) as StoredError | { result: string };
  if (stored.result === TOO_LARGE) {
    failConflict('Idempotency-Key: the request was carried out, and its response is too large to be sent again.');
  }
  if (isStoredError(stored)) throw toError(stored);
  return stored;
}

const isStoredError = (stored: { result: string }): stored is StoredError => stored.result === 'error';

function toError({ code, msg, extras, path_not_found }: StoredError): ApiError {
  return path_not_found
    ? new NotFoundError('BAD_REQUEST', msg, { reason: 'not_found' })
    : createError(code, msg, extras);
}
