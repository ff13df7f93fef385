// The error responses of requests and tasks that get no slot.
import { ApiError } from './errors.ts';

/**
 * The maximum number of seconds in `Retry-After`. Clients that failed at the same moment, as after a restart, get
 * different ones, so that they do not all return at once.
 */
const RETRY_AFTER = 5;

const delays: readonly number[] = Array.from({ length: RETRY_AFTER }, (_, n) => n + 1);

/** An error with a random delay. */
export const createBusyError = (errorMessage: string): ApiError => toBusyError(errorMessage, anyOf(delays));

/** The errors with each delay. */
export const listBusyErrors = (errorMessage: string): readonly ApiError[] =>
  delays.map((seconds) => toBusyError(errorMessage, seconds));

/** One of the choices, at random. */
export const anyOf = <T>(choices: readonly T[]): T => choices[Math.floor(Math.random() * choices.length)] as T;

function toBusyError(errorMessage: string, seconds: number): ApiError {
  const message = `${errorMessage} Try again in ${seconds === 1 ? '1 second' : `${seconds} seconds`}.`;
  return new ApiError('SERVICE_UNAVAILABLE', message, { 'retry-after': seconds });
}
