import { ParleyError, TransportError } from './errors.ts';
import type { ClientOptions } from './options.ts';
import { backoff, pause } from './pause.ts';
import type { OperationId } from './types.ts';

export type Telling = Pick<ClientOptions, 'logger' | 'onRetry'>;

export interface Persistence {
  readonly operation: OperationId;
  readonly signal: AbortSignal | undefined;
  /** How often to try again at most; for ever if it does not say. */
  readonly retries?: number;
  /** Whether doing it twice does no harm, as it is if it does not say. */
  readonly isRepeatable?: boolean;
  /** Seconds: who would have to wait longer gets the error at once, and decides. For ever if it does not say. */
  readonly patience?: number;
}

/** Does something, and again where it may succeed then. What was sent or answered is in no log. */
export async function insist<T>(
  {
    operation,
    signal,
    retries = Number.POSITIVE_INFINITY,
    isRepeatable = true,
    patience = Number.POSITIVE_INFINITY,
  }: Persistence,
  { logger, onRetry }: Telling,
  work: (attempt: number) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(attempt);
    } catch (error) {
      if (!(error instanceof ParleyError || error instanceof TransportError) || attempt > retries) throw error;
      const { status, retryAfter = 0 } = error;
      if (retryAfter > patience || !(status === 429 || (isRepeatable && mayPass(status)))) throw error;
      const wait = Math.max(retryAfter * 1000, backoff(attempt - 1));
      const word = error instanceof ParleyError ? error.code : (status ?? 'no answer');
      logger?.warn(`${operation}: ${word}, try ${attempt + 1} in ${Math.round(wait)} ms`);
      onRetry?.({ operation, attempt, error, wait });
      await pause(wait, signal);
    }
  }
}

/** A refusal says the same however often one asks, and so does what has never heard of Parley. */
const mayPass = (status = 500): boolean => status < 400 || status >= 500 || status === 408;
