import type { Schema } from './contract.ts';
import { excerpt } from './excerpt.ts';

type ErrorBody = Schema<'Error'>;
export type ErrorCode = ErrorBody['code'];
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
  throw new ApiError(code, message, extras);
}

/** An object does not exist for the caller, where that has status 404. */
export class NotFoundError extends ApiError {}

export function failNotFound(message: string): never {
  throw new NotFoundError('BAD_REQUEST', message);
}

/** Characters of what a client sent that an error response repeats. */
const QUOTED = 100;
/** Characters of a sentence in an error response: longer ones have been written around something that was sent. */
const SENTENCE = 1000;
/** Items of a list in an error response. */
const LISTED = 100;

/** The parts of an error response that may repeat what the client sent. */
export type ErrorContent = Pick<ApiError, 'message' | 'extras'>;

/** Characters that are compared to find out what of the request an error response repeats: about 0.1 s. */
const COMPARED = 50_000_000;

/** What an error response says, with at most 100 characters of each value that the client sent. */
export function toErrorContent({ message, extras }: ErrorContent, sent: unknown): ErrorContent {
  const shorten = createShortener(sent);
  const { bad_value } = extras as { bad_value?: unknown };
  // The only field that repeats a value of any type.
  const whole = typeof bad_value === 'object' ? { bad_value: excerpt(JSON.stringify(bad_value), QUOTED) } : {};
  return { message: shorten(message), extras: mapTexts({ ...extras, ...whole }, shorten) as object };
}

/** Shortens the texts of one error response: long values that the client sent, and then the sentence. */
function createShortener(sent: unknown): (text: string) => string {
  let values: readonly string[] | undefined;
  let left = COMPARED;
  return (text) => {
    if (text.length <= QUOTED) return text;
    values ??= spellingsOf(longTexts(sent));
    left -= text.length * values.length;
    // A request can have so many long values that looking for each of them would block the process for minutes.
    if (left < 0) return excerpt(text, QUOTED);
    return excerpt(
      values.reduce((shorter, value) => shorter.replaceAll(value, () => excerpt(value, QUOTED)), text),
      SENTENCE,
    );
  };
}

/** The forms in which a message can repeat a value: as it was sent, as JSON, and trimmed. */
const spellingsOf = (texts: readonly string[]): string[] => [
  ...new Set(texts.flatMap((text) => [text, JSON.stringify(text).slice(1, -1), text.trim()])),
];

/** Every text in a value that is longer than an error response repeats; a value may be nested as deep as requests may. */
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

/** What is wrong with a value. `field` is its parameter, or `__all__` when it takes several to see it. */
export interface FieldProblem {
  readonly field: string;
  readonly text: string;
}

/** Fails with all problems of the values, if there are any. `msg` is about the first. */
export function failOnProblems(problems: readonly FieldProblem[]): void {
  const [first] = problems;
  if (!first) return;
  const errors: Record<string, string[]> = {};
  for (const { field, text } of problems) errors[field] = [...(errors[field] ?? []), text];
  const { field, text } = first;
  const msg = field === '__all__' ? text : `${field}: ${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
  fail('BAD_REQUEST', msg, { errors });
}
