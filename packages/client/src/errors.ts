import type { operations } from './generated/schema.ts';
import type { OperationId, Schema } from './types.ts';

/** A documented error response: its code, its message and the extra fields of the code. */
export type ErrorResponse = Schema<'Error'>;
export type ErrorCode = ErrorResponse['code'];
/** Why a request was rejected with `BAD_REQUEST`. */
export type BadRequestReason = Schema<'BadRequestReason'>;

type ReasonOf<Body> = Body extends { reason: infer Reason } ? Reason : undefined;

/**
 * An error of one code, with its extra fields typed. For several codes it is a union, which `switch (error.code)`
 * narrows.
 */
export type ParleyErrorOf<Code extends ErrorCode> = Code extends ErrorCode
  ? ParleyError & {
      readonly code: Code;
      readonly reason: ReasonOf<Extract<ErrorResponse, { code: Code }>>;
      readonly body: Extract<ErrorResponse, { code: Code }>;
    }
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

/**
 * The documented errors of an operation, as a union by `code`. As with `AnyParleyError`, a newer server may send other
 * codes.
 */
export type ParleyErrorFrom<Id extends OperationId> = ParleyErrorOf<ErrorCodeOf<Id>>;

/**
 * The server responded with an error, and nothing was changed. `ParleyError.is(error, code)` narrows to one code, and
 * `ParleyError.isFrom(error, operation)` to the codes of an operation.
 */
export class ParleyError extends Error {
  override readonly name = 'ParleyError';
  /** One of the documented codes, or one that a newer server knows. */
  readonly code: ErrorCode | (string & {});
  /** Why the request was rejected with `BAD_REQUEST`. Other codes have no reason. */
  readonly reason: BadRequestReason | undefined;

  constructor(
    readonly status: number,
    /**
     * The whole response body. For a code that this version of the client does not know, it includes the extra fields
     * as well.
     */
    readonly body: ErrorResponse,
    /** Seconds after which to retry, if the server sent them. */
    readonly retryAfter?: number,
    /** The operation that was called. */
    readonly operation?: OperationId,
  ) {
    super(body.msg);
    this.code = body.code;
    this.reason = 'reason' in body ? body.reason : undefined;
  }

  /**
   * Whether a caught value is an error response, and has this code if one is given. Then `error.body` has the fields of
   * that code.
   *
   * @param error - The caught value.
   * @param code - One of the documented codes.
   */
  static is(error: unknown): error is AnyParleyError;
  static is<Code extends ErrorCode>(error: unknown, code: Code): error is ParleyErrorOf<Code>;
  static is(error: unknown, code?: string): boolean {
    return error instanceof ParleyError && (code === undefined || error.code === code);
  }

  /**
   * Whether a caught value is an error response to this operation. Then `switch (error.code)` is limited to the codes
   * of the operation, and narrows `error.body` in each case.
   *
   * @param error - The caught value.
   * @param operation - The name of the called function.
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

/** A call that got no response of Parley's. */
export interface FailedCall {
  readonly operation: OperationId;
  readonly url: string;
}

/** Node has the reason in the cause of the error of `fetch`. Browsers do not report to a page that the server rejects its origin. */
function reasonOf(error: unknown, call?: FailedCall): string {
  const { message, cause } = (error ?? {}) as { message?: string; cause?: { message?: string; code?: string } };
  const reason = cause?.message || cause?.code || message;
  const origin = error instanceof TypeError && globalThis.location?.origin;
  const isForeign = origin && !`${call?.url}/`.startsWith(`${origin}/`);
  return reason ? ` (${reason}${isForeign ? `; is ${origin} among its allowed_origins?` : ''})` : '';
}

/**
 * There is no response from Parley: the network failed, the request timed out, or another server in between responded.
 */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  /** Only error responses of Parley have a code. */
  declare readonly code?: undefined;

  constructor(
    /** The status of the response that is not Parley's; absent when there was none. */
    readonly status?: number,
    /** The first bytes of that response. */
    readonly start = '',
    readonly retryAfter?: number,
    /** `call`: what was called, and the URL of the organization. */
    { call, ...options }: ErrorOptions & { call?: FailedCall } = {},
  ) {
    const prefix = call ? `${call.operation} at ${call.url}: ` : '';
    super(
      `${prefix}${status ? `${status}, not Parley: ${start}` : `no response${reasonOf(options.cause, call)}`}`,
      options,
    );
  }
}
