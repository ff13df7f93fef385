import { backoff, pause } from './backoff.ts';
import { ParleyError, TransportError } from './errors.ts';
import type { ClientOptions } from './options.ts';
import type { OperationId } from './types.ts';

export type RetryReporting = Pick<ClientOptions, 'logger' | 'onRetry'>;

export interface RetryOptions {
  readonly operation: OperationId;
  readonly signal: AbortSignal | undefined;
  /** Maximum number of retries. Absent: unlimited, however long the server makes the client wait. */
  readonly retries?: number;
  /** Whether a repetition is harmless. Default: true. */
  readonly isRepeatable?: boolean;
}

/** Runs work, and retries where it may succeed. The content of requests and responses is never logged. */
export async function withRetries<T>(
  { operation, signal, retries, isRepeatable = true }: RetryOptions,
  { logger, onRetry }: RetryReporting,
  work: (attempt: number) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(attempt);
    } catch (error) {
      if (!(error instanceof ParleyError || error instanceof TransportError)) throw error;
      const { status, code, retryAfter = 0 } = error;
      // A wait for the rate limit of more than a minute is left to the caller, who gets the error at once.
      if (retries !== undefined && (attempt > retries || retryAfter > 60)) throw error;
      if (status !== 429 && !(isRepeatable && isTemporary(status))) throw error;
      const wait = Math.max(retryAfter * 1000, backoff(attempt));
      const outcome = status === undefined ? error.message : `${operation}: ${code ?? status}`;
      logger?.warn(`${outcome}, again in ${wait.toFixed()} ms`);
      await onRetry?.({ operation, attempt, error, wait });
      await pause(wait, signal);
    }
  }
}

/** An error response of Parley does not change on a retry, and neither does the response of another server. */
const isTemporary = (status = 500): boolean => status < 400 || status >= 500 || status === 408;
