import type { Schema } from './types.ts';

/** A documented refusal: its code, its message and the extra fields of the code. */
export type ErrorResponse = Schema<'Error'>;
export type ErrorCode = ErrorResponse['code'];

/** A refusal of one code, with its extra fields typed. */
export type ParleyErrorOf<Code extends ErrorCode> = ParleyError & {
  readonly code: Code;
  readonly body: Extract<ErrorResponse, { code: Code }>;
};

/** The server refused the request, which changed nothing. `ParleyError.is(error, code)` narrows to one code. */
export class ParleyError extends Error {
  override readonly name = 'ParleyError';
  /** One of the documented codes, or one that a newer server knows. */
  readonly code: ErrorCode | (string & {});

  constructor(
    readonly status: number,
    /** The whole answer. Of a code that this version of the client does not know, its fields are here as well. */
    readonly body: ErrorResponse,
    /** Seconds after which to try again, where the server says so. */
    readonly retryAfter?: number,
  ) {
    super(body.msg);
    this.code = body.code;
  }

  /**
   * Whether something caught is a refusal, of this code if one is named; then `error.body` has the fields of that code.
   *
   * @param error - What was caught.
   * @param code - One of the documented codes.
   */
  static is(error: unknown): error is ParleyError;
  static is<Code extends ErrorCode>(error: unknown, code: Code): error is ParleyErrorOf<Code>;
  static is(error: unknown, code?: string): boolean {
    return error instanceof ParleyError && (code === undefined || error.code === code);
  }
}

/** There is no answer of Parley's: the network failed, the time was up, or something in between answered instead. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  /** Only refusals have one. */
  declare readonly code?: undefined;

  constructor(
    /** Of the answer that is not Parley's; absent when none came. */
    readonly status?: number,
    /** The first bytes of that answer. */
    readonly start = '',
    readonly retryAfter?: number,
    options?: ErrorOptions,
  ) {
    super(status ? `${status}, not Parley: ${start}` : 'no response', options);
  }
}
