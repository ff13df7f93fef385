import { ParleyError, TransportError } from './errors.ts';
import type { ClientOptions } from './options.ts';
import { backoff, pause } from './pause.ts';
import type { OperationId } from './types.ts';

export type Telling = Pick<ClientOptions, 'logger' | 'onRetry'>;

export interface Persistence {
  readonly operation: OperationId;
  readonly retries: number;
  /** Whether doing it twice does no harm. */
  readonly isRepeatable: boolean;
  /** Seconds: who would have to wait longer gets the error at once, and decides. */
  readonly patience: number;
  readonly signal: AbortSignal | undefined;
}

/** Does something, and again where it may succeed then. What was sent or answered is in no log. */
export async function insist<T>(
  { operation, retries, isRepeatable, patience, signal }: Persistence,
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
      const word = error instanceof ParleyError ? error.code : `status ${status ?? '-'}`;
      logger?.warn(`${operation}: ${word}, try ${attempt + 1} in ${Math.round(wait)} ms`);
      onRetry?.({ operation, attempt, error, wait });
      await pause(wait, signal);
    }
  }
}

/** A refusal says the same however often one asks, and so does what has never heard of Parley. */
const mayPass = (status = 500): boolean => status < 400 || status >= 500 || status === 408;
