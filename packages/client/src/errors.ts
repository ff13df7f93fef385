import type { operations } from './generated/schema.ts';
import type { OperationId, Schema } from './types.ts';

/** A documented error response: its code, its message and the extra fields of the code. */
export type ErrorResponse = Schema<'Error'>;
export type ErrorCode = ErrorResponse['code'];

/** An error of one code, with its extra fields typed. Of several codes it is a union, which `switch (error.code)` narrows. */
export type ParleyErrorOf<Code extends ErrorCode> = Code extends ErrorCode
  ? ParleyError & { readonly code: Code; readonly body: Extract<ErrorResponse, { code: Code }> }
  : never;

/** Every documented error, as a union by `code`. A newer server may send other codes: a `switch` over it needs a `default`. */
export type AnyParleyError = ParleyErrorOf<ErrorCode>;

type Responses<Id extends OperationId> = operations[Id]['responses'];
type CodeOf<Answer> = Answer extends { content: { 'application/json': { code: infer Code extends ErrorCode } } }
  ? Code
  : never;

/** The codes that an operation documents. */
export type ErrorCodeOf<Id extends OperationId> = {
  [Status in keyof Responses<Id>]: CodeOf<Responses<Id>[Status]>;
}[keyof Responses<Id>];

/** The documented errors of an operation, as a union by `code`. A newer server may send other codes, as of `AnyParleyError`. */
export type ParleyErrorFrom<Id extends OperationId> = ParleyErrorOf<ErrorCodeOf<Id>>;

/**
 * The server responded with an error, and changed nothing. `ParleyError.is(error, code)` narrows to one code, and
 * `ParleyError.isFrom(error, operation)` to the codes of an operation.
 */
export class ParleyError extends Error {
  override readonly name = 'ParleyError';
  /** One of the documented codes, or one that a newer server knows. */
  readonly code: ErrorCode | (string & {});

  constructor(
    readonly status: number,
    /** The whole response. Of a code that this version of the client does not know, its fields are here as well. */
    readonly body: ErrorResponse,
    /** Seconds after which to try again, where the server says so. */
    readonly retryAfter?: number,
    /** What was called. */
    readonly operation?: OperationId,
  ) {
    super(body.msg);
    this.code = body.code;
  }

  /**
   * Whether a caught value is an error response, and of this code if one is named; then `error.body` has the fields of that code.
   *
   * @param error - What was caught.
   * @param code - One of the documented codes.
   */
  static is(error: unknown): error is AnyParleyError;
  static is<Code extends ErrorCode>(error: unknown, code: Code): error is ParleyErrorOf<Code>;
  static is(error: unknown, code?: string): boolean {
    return error instanceof ParleyError && (code === undefined || error.code === code);
  }

  /**
   * Whether a caught value is an error response to this operation. Then `switch (error.code)` knows the codes of the operation, and
   * narrows `error.body` in each case.
   *
   * @param error - What was caught.
   * @param operation - The name of the function that was called.
   * @example
   * if (!ParleyError.isFrom(error, 'sendMessage')) throw error;
   * switch (error.code) {
   *   case 'STREAM_DOES_NOT_EXIST':
   *     console.log(`There is no ${error.body.stream}.`);
   *     break;
   *   default:
   *     console.log(error.message);
   * }
   */
  static isFrom<Id extends OperationId>(error: unknown, operation: Id): error is ParleyErrorFrom<Id> {
    return error instanceof ParleyError && error.operation === operation;
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
