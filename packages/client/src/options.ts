import type { OperationId } from './types.ts';

/** One try of a call. */
export interface Try {
  readonly operation: OperationId;
  /** 1 for the first. */
  readonly attempt: number;
}

/** A try that failed and is not the last. `wait` is in milliseconds. */
export interface Retried extends Try {
  readonly error: unknown;
  readonly wait: number;
}

/** Decides when requests are sent, as `createPace` does. */
export interface Pace {
  /** Resolves when a request may be sent, or the signal is aborted. */
  wait(operation: OperationId, signal?: AbortSignal): Promise<unknown>;
  /** Notes that a request ended, and what its response says of the rate limit. Without a response it failed. */
  note(operation: OperationId, response: Response | undefined): void;
}

export interface ClientOptions {
  /** The account's email and API key. Without them only the operations that need none can be called. */
  login?: { email: string; apiKey: string } | undefined;
  /** The secret of a token, in place of `login`. What it can do is up to its scopes: other calls fail with `INSUFFICIENT_SCOPE`. */
  token?: string | undefined;
  /** The name of your program; the server keeps it beside the messages it sends. */
  name?: string | undefined;
  headers?: Record<string, string> | undefined;
  /** What sends requests in place of the global `fetch`. */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** Milliseconds that one try of a call may take. Default: 90,000, which a long poll needs. */
  timeout?: number | undefined;
  /**
   * How often to try again at most. Default: 2. A call that was turned away for its rate (429) is tried again when the server
   * says; one that got no answer, one that is not Parley's, or a failure of the server's (408, 5xx), only if doing it twice does no harm.
   */
  retries?: number | undefined;
  /**
   * `auto`: each write gets an Idempotency-Key of its own, unless the call names one. The client then also tries writes again that got no response,
   * and the server does each once. An account can use 300,000 keys a day.
   */
  idempotency?: 'auto' | undefined;
  /** Spreads requests while few of the rate limit remain: `createPace()`. */
  pace?: Pace | undefined;
  /** Hears, without credentials and contents, what was called and how it ended. `console` will do. */
  logger?: Pick<Console, 'debug' | 'warn'> | undefined;
  /** Is called with each request before it leaves, and may change its headers. What a hook throws, the call rejects with. */
  onRequest?: ((sent: Try & { readonly request: Request }) => unknown) | undefined;
  /** Is called with each answer, whatever its status. Clone it before reading it. */
  onResponse?: ((got: Try & { readonly response: Response; readonly milliseconds: number }) => unknown) | undefined;
  /** Is called before a call, or a poll of `events()`, is tried again. */
  onRetry?: ((failed: Retried) => unknown) | undefined;
  /** Is called with the names of parameters that the server does not know; most often they are typing errors. */
  onIgnoredParameters?: ((names: string[], operation: OperationId) => unknown) | undefined;
}
