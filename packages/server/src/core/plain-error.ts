// The part of an error that logs and command output can contain. Drivers and libraries quote statements and parameter
// values in their messages.

export interface PlainError {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  /** The stack, without the message. */
  readonly stack?: string;
}

interface Facts {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly severity?: unknown;
  readonly stack?: unknown;
  readonly cause?: unknown;
}

/** Describes the innermost cause of an error, without content of users: no statement, no value of a parameter. */
export function toPlainError(error: unknown): PlainError {
  const root = findRoot(error);
  const type = typeof root.name === 'string' ? root.name : typeof error;
  const code = typeof root.code === 'string' || typeof root.code === 'number' ? String(root.code) : undefined;
  const stack = framesOf(root.stack);
  return { type, message: messageOf(root, code), ...(code !== undefined && { code }), ...(stack !== '' && { stack }) };
}

/** One line for an operator. */
export function describeError(error: unknown): string {
  const { message, code } = toPlainError(error);
  return message === '' ? (code ?? 'unknown error') : message;
}

function findRoot(error: unknown): Facts {
  const facts: Facts = typeof error === 'object' && error !== null ? error : { message: String(error) };
  return typeof facts.cause === 'object' && facts.cause !== null ? findRoot(facts.cause) : facts;
}

function messageOf({ message, severity }: Facts, code: string | undefined): string {
  if (typeof message !== 'string') return '';
  // The error that wraps a failed statement quotes it.
  if (message.startsWith('Failed query:')) return 'A statement failed.';
  // Errors of PostgreSQL's class 22, data exceptions, quote the invalid value.
  const quotes = severity !== undefined && /^22[0-9A-Z]{3}$/.test(code ?? '');
  return quotes ? `The database rejected a value (${code}).` : message;
}

/** A stack begins with the message. */
const framesOf = (stack: unknown): string =>
  typeof stack === 'string'
    ? stack
        .split('\n')
        .filter((line) => /^\s+at /.test(line))
        .join('\n')
    : '';
