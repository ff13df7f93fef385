import type { Schema } from './types.ts';

/** A documented refusal: its code, its message and the extra fields of the code. */
export type Refusal = Schema<'Error'>;
export type ErrorCode = Refusal['code'];

/** The server refused the request, which changed nothing. Narrow `body` by its `code` to get at the extra fields. */
export class ParleyError extends Error {
  override readonly name = 'ParleyError';
  /** One of the documented codes, or one that a newer server knows. */
  readonly code: ErrorCode | (string & {});

  constructor(
    readonly status: number,
    readonly body: Refusal,
  ) {
    super(body.msg);
    this.code = body.code;
  }
}

/** The answer is not Parley's: a proxy in between, or another server. */
export class TransportError extends Error {
  override readonly name = 'TransportError';

  constructor(
    readonly status: number,
    /** The first bytes of the answer. */
    readonly start: string,
  ) {
    super(`The answer (status ${status}) is not Parley's: ${start}`);
  }
}
