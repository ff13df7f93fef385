import type { Schema } from './contract.ts';
import { excerpt } from './excerpt.ts';

type ErrorBody = Schema<'Error'>;
export type ErrorCode = ErrorBody['code'];
/** Why a request is rejected with `BAD_REQUEST`. */
type BadRequestReason = Schema<'BadRequestReason'>;
type RequiredKeys<T> = { [K in keyof T]-?: object extends Pick<T, K> ? never : K }[keyof T];
type ExtraArguments<Extras> = keyof Extras extends never
  ? []
  : RequiredKeys<Extras> extends never
    ? [Extras?]
    : [Extras];
/** The extra fields of an error response of one code. */
type ExtrasOf<Body> = Body extends ErrorBody ? ExtraArguments<Omit<Body, 'result' | 'msg' | 'code'>> : never;

/** An error that the API documents. It is independent of HTTP. */
export class ApiError extends Error {
  override name = 'ApiError';
  constructor(code: 'BAD_REQUEST', message: string, extras: { readonly reason: BadRequestReason });
  constructor(code: Exclude<ErrorCode, 'BAD_REQUEST'>, message: string, extras?: object);
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly extras: object = {},
  ) {
    super(message);
  }
}

/** Fails the request with an error response. The extra fields are those that the document lists for the code. */
export function fail<C extends ErrorCode>(
  code: C,
  message: string,
  ...[extras]: ExtrasOf<Extract<ErrorBody, { code: C }>>
): never {
  throw createError(code, message, extras);
}

/** The error of any code. Callers ensure that the extra fields are those of the code. */
export const createError = (code: ErrorCode, message: string, extras?: object): ApiError =>
  new ApiError(code as Exclude<ErrorCode, 'BAD_REQUEST'>, message, extras);

function failBecause(reason: BadRequestReason, message: string): never {
  throw new ApiError('BAD_REQUEST', message, { reason });
}

/** Fails because a value breaks a rule of its parameter, or because the request cannot be read. */
export function failInvalid(message: string): never {
  failBecause('invalid', message);
}

/**
 * Fails because what a parameter names does not exist or is not visible to the caller: both get the same response. For
 * an object that the path names, where the document has a 404, there is `failNotFound`.
 */
export function failUnknown(message: string): never {
  failBecause('not_found', message);
}

/** Fails because the caller lacks the permission, or because the organization does not allow it. */
export function failForbidden(message: string): never {
  failBecause('forbidden', message);
}

/** Fails because a collection or a quota is full. */
export function failLimitReached(message: string): never {
  failBecause('limit_reached', message);
}

/** Fails because the present state or another object prevents it. */
export function failConflict(message: string): never {
  failBecause('conflict', message);
}

/** The error of a request that cannot be read, for code that does not throw it itself. */
export const createInvalidError = (message: string): ApiError =>
  new ApiError('BAD_REQUEST', message, { reason: 'invalid' });

/** Why a request is rejected, as a rule finds it. */
export interface RequestProblem {
  readonly reason: BadRequestReason;
  readonly text: string;
}

/** Fails with the problem of a request, if there is one. */
export function failOnProblem(problem: RequestProblem): never;
export function failOnProblem(problem: RequestProblem | undefined): void;
export function failOnProblem(problem: RequestProblem | undefined): void {
  if (problem) failBecause(problem.reason, problem.text);
}

/** The object that the path names does not exist, or the caller cannot see it: status 404. */
export class NotFoundError extends ApiError {}

/** Fails with status 404: the object that the path names does not exist, or the caller cannot see it. */
export function failNotFound(message: string): never {
  throw new NotFoundError('BAD_REQUEST', message, { reason: 'not_found' });
}

/** Characters of a value from the client that an error response repeats. */
const QUOTED = 100;
/** Maximum characters of a message in an error response. Longer ones contain a value from the request. */
const SENTENCE = 1000;
/** Maximum items of a list in an error response. */
const LISTED = 100;

/** The parts of an error response that may repeat values of the request. */
export type ErrorContent = Pick<ApiError, 'message' | 'extras'>;

/** Characters that are compared to find the repeated values of the request: about 0.1 s. */
const COMPARED = 50_000_000;

/** The content of an error response, with at most 100 characters of each value from the client. */
export function toErrorContent({ message, extras }: ErrorContent, sent: unknown): ErrorContent {
  const shorten = createShortener(sent);
  const { bad_value } = extras as { bad_value?: unknown };
  // The only field that repeats a value of any type.
  const whole = typeof bad_value === 'object' ? { bad_value: excerpt(JSON.stringify(bad_value), QUOTED) } : {};
  return { message: shorten(message), extras: mapTexts({ ...extras, ...whole }, shorten) as object };
}

/** Shortens the texts of one error response: first the long values from the client, then the whole sentence. */
function createShortener(sent: unknown): (text: string) => string {
  let values: readonly string[] | undefined;
  let left = COMPARED;
  return (text) => {
    if (text.length <= QUOTED) return text;
    values ??= spellingsOf(longTexts(sent));
    left -= text.length * values.length;
    // A request can contain so many long values that searching for each of them would block the process for minutes.
    if (left < 0) return excerpt(text, QUOTED);
    return excerpt(
      values.reduce((shorter, value) => shorter.replaceAll(value, () => excerpt(value, QUOTED)), text),
      SENTENCE,
    );
  };
}

/** The forms in which a message can repeat a value: as sent, as JSON, and trimmed. */
const spellingsOf = (texts: readonly string[]): string[] => [
  ...new Set(texts.flatMap((text) => [text, JSON.stringify(text).slice(1, -1), text.trim()])),
];

/**
 * Every string in a value that is longer than an error response repeats. The value can be nested as deep as requests
 * can.
 */
function longTexts(value: unknown, found: string[] = []): string[] {
  if (typeof value === 'string') {
    if (value.length > QUOTED) found.push(value);
  } else if (Array.isArray(value)) {
    for (const item of value) longTexts(item, found);
  } else if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
    for (const [key, item] of Object.entries(value)) {
      longTexts(key, found);
      longTexts(item, found);
    }
  }
  return found;
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.slice(0, LISTED).map((item) => mapTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).slice(0, LISTED);
  return Object.fromEntries(entries.map(([key, item]) => [excerpt(key, QUOTED), mapTexts(item, change)]));
}

/** The problem of a value. `field` is its parameter, or `__all__` when it concerns several. */
export interface FieldProblem {
  readonly field: string;
  readonly text: string;
  /** Absent: `invalid`. */
  readonly reason?: BadRequestReason;
}

/** Fails with all problems of the values, if there are any. `msg` and `reason` are those of the first. */
export function failOnProblems(problems: readonly FieldProblem[]): void {
  const [first] = problems;
  if (!first) return;
  const errors: Record<string, string[]> = {};
  for (const { field, text } of problems) errors[field] = [...(errors[field] ?? []), text];
  const { field, text, reason = 'invalid' } = first;
  const msg = field === '__all__' ? text : `${field}: ${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
  fail('BAD_REQUEST', msg, { reason, errors });
}
