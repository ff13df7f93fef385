import { backoff, pause } from './backoff.ts';
import { ParleyError, TransportError } from './errors.ts';
import type { ClientOptions } from './options.ts';
import type { OperationId } from './types.ts';

export type RetryReporting = Pick<ClientOptions, 'logger' | 'onRetry'>;

export interface RetryOptions {
  readonly operation: OperationId;
  readonly signal: AbortSignal | undefined;
  /** How often to try again at most. Absent: for ever, however long the server has one wait. */
  readonly retries?: number;
  /** Whether doing it twice does no harm, as it is if it does not say. */
  readonly isRepeatable?: boolean;
}

/** Does something, and again where it may succeed then. What was sent or answered is in no log. */
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
      // Who would have to wait for the server's rate limit longer than a minute gets the error at once, and decides.
      if (retries !== undefined && (attempt > retries || retryAfter > 60)) throw error;
      if (status !== 429 && !(isRepeatable && isTemporary(status))) throw error;
      const wait = Math.max(retryAfter * 1000, backoff(attempt));
      logger?.warn(`${operation}: ${code ?? status ?? 'no response'}, again in ${wait.toFixed()} ms`);
      await onRetry?.({ operation, attempt, error, wait });
      await pause(wait, signal);
    }
  }
}

/** A refusal says the same however often one asks, and so does what has never heard of Parley. */
const isTemporary = (status = 500): boolean => status < 400 || status >= 500 || status === 408;
