import type { Schema } from './contract.ts';

type ErrorBody = Schema<'Error'>;
export type ErrorCode = ErrorBody['code'];
type Extras<C extends ErrorCode> = Omit<Extract<ErrorBody, { code: C }>, 'result' | 'msg' | 'code'>;
type RequiredKeys<T> = { [K in keyof T]-?: object extends Pick<T, K> ? never : K }[keyof T];

/** A refusal the API documents. It knows nothing of HTTP. */
export class ApiError extends Error {
  override name = 'ApiError';
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly extras: object = {},
  ) {
    super(message);
  }
}

/** Refuses the request. The extra fields are the ones the document lists for that code. */
export function refuse<C extends ErrorCode>(
  code: C,
  message: string,
  ...[extras]: keyof Extras<C> extends never ? [] : RequiredKeys<Extras<C>> extends never ? [Extras<C>?] : [Extras<C>]
): never {
  throw new ApiError(code, message, extras);
}
