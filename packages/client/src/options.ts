import type { OperationId } from './types.ts';

/** One attempt of a call. */
export interface Try {
  readonly operation: OperationId;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

/** An attempt that failed and is not the last. `wait` is in milliseconds. */
export interface Retried extends Try {
  readonly error: unknown;
  readonly wait: number;
}

/** Decides when requests are sent, as `createPace` does. */
export interface Pace {
  /** Resolves when a request can be sent, or the signal is aborted. */
  wait(operation: OperationId, signal?: AbortSignal): Promise<unknown>;
  /** Records that a request ended, and the rate limit headers of its response. Without a response it failed. */
  note(operation: OperationId, response: Response | undefined): void;
}

export interface ClientOptions {
  /** The account's email and API key. Without them, only operations that need no authentication can be called. */
  login?: { email: string; apiKey: string } | undefined;
  /**
   * The secret of a token, instead of `login`. Its scopes limit what it can do: other calls fail with
   * `INSUFFICIENT_SCOPE`.
   */
  token?: string | undefined;
  /** The name of your program; the server stores it with the messages that it sends. */
  name?: string | undefined;
  headers?: Record<string, string> | undefined;
  /** Sends requests instead of the global `fetch`. */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** Timeout of one attempt of a call, in milliseconds. Default: 90,000, which a long poll needs. */
  timeout?: number | undefined;
  /**
   * Maximum number of retries. Default: 2. A call beyond the rate limit (429) is retried when the server says. A call
   * without a response, with a response that is not Parley's, or with a failure of the server (408, 5xx) is retried
   * only if a repetition is harmless.
   */
  retries?: number | undefined;
  /**
   * `auto`: each write gets an Idempotency-Key of its own, unless the call has one. The client then also retries writes
   * without a response, and the server carries out each once. An account can use 300,000 keys a day.
   */
  idempotency?: 'auto' | undefined;
  /** Spreads requests while little of the rate limit remains: `createPace()`. */
  pace?: Pace | undefined;
  /** Receives log entries: the operation and its result, without credentials and contents. `console` is suitable. */
  logger?: Pick<Console, 'debug' | 'warn'> | undefined;
  /**
   * Called with each request before it is sent; it can change the headers. If the hook throws, the call rejects with
   * that error.
   */
  onRequest?: ((sent: Try & { readonly request: Request }) => unknown) | undefined;
  /** Called with each response, whatever its status. Clone the response before reading it. */
  onResponse?: ((got: Try & { readonly response: Response; readonly milliseconds: number }) => unknown) | undefined;
  /** Called before a call, or a poll of `events()`, is retried. */
  onRetry?: ((failed: Retried) => unknown) | undefined;
  /** Called with the names of parameters that the server does not know; they are usually misspelled. */
  onIgnoredParameters?: ((names: string[], operation: OperationId) => unknown) | undefined;
}
