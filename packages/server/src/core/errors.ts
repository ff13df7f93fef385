import type { Schema } from './contract.ts';

type ErrorBody = Schema<'Error'>;
export type ErrorCode = ErrorBody['code'];
type RequiredKeys<T> = { [K in keyof T]-?: object extends Pick<T, K> ? never : K }[keyof T];
type Given<Extras> = keyof Extras extends never ? [] : RequiredKeys<Extras> extends never ? [Extras?] : [Extras];
/** What goes with a refusal in one of the shapes that its code has. */
type ExtrasOf<Body> = Body extends ErrorBody ? Given<Omit<Body, 'result' | 'msg' | 'code'>> : never;

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
  ...[extras]: ExtrasOf<Extract<ErrorBody, { code: C }>>
): never {
  throw new ApiError(code, message, extras);
}

/** A refusal of something that is not there for who asks, where that has a status of its own. */
export class UnknownError extends ApiError {}

export function refuseUnknown(message: string): never {
  throw new UnknownError('BAD_REQUEST', message);
}

/** What is wrong with a value. `field` is its parameter, or `__all__` when it takes several to see it. */
export interface FieldProblem {
  readonly field: string;
  readonly text: string;
}

/** Refuses values with all that is wrong with them, if anything is; the sentence for people is about the first. */
export function refuseProblems(problems: readonly FieldProblem[]): void {
  const [first] = problems;
  if (!first) return;
  const errors: Record<string, string[]> = {};
  for (const { field, text } of problems) errors[field] = [...(errors[field] ?? []), text];
  const { field, text } = first;
  const msg = field === '__all__' ? text : `${field}: ${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
  refuse('BAD_REQUEST', msg, { errors });
}
