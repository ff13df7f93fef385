// Parsers of environment variables. Each returns undefined for an invalid text.
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { type CollectionLimits, DEFAULT_COLLECTION_LIMITS } from '../core/collection-limits.ts';
import { bounds } from '../core/limits.ts';
import { isOrigin } from '../text/origins.ts';
import { ValueProblem } from './json.ts';

/** `count` requests in `seconds`. */
export interface Rule {
  readonly seconds: number;
  readonly count: number;
}

export type RuleName = 'account' | 'events' | 'ip' | 'password' | 'email_change';
/** No rules: the bucket is unlimited. */
export type RateRules = Readonly<Record<RuleName, readonly Rule[]>>;

export type Mail =
  | { readonly to: 'log' }
  | { readonly to: 'dir'; readonly path: string }
  | { readonly to: 'smtp'; readonly url: string };

export const DEFAULT_RULES: RateRules = Object.freeze({
  account: [{ seconds: 60, count: 200 }],
  events: [{ seconds: 60, count: 200 }],
  ip: [{ seconds: 60, count: 100 }],
  password: [{ seconds: 1800, count: 5 }],
  email_change: [
    { seconds: 3600, count: 2 },
    { seconds: 86_400, count: 5 },
  ],
});
/** `account 60:200, …`: each as it is written in the variable. */
export const DEFAULT_RULES_IN_WORDS = Object.entries(DEFAULT_RULES)
  .map(([name, rules]) => `${name} ${rules.map(({ seconds, count }) => `${seconds}:${count}`).join(',')}`)
  .join(', ');
// Timers are limited to 2^31 ms; a longer window would end at once.
const LONGEST_WINDOW = 2_147_483;
export const SECRET_LENGTH = 32;
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
export const maskValue = () => '********';

export function word<T>(values: Readonly<Record<string, T>>): (text: string) => T | undefined {
  return (text) => (Object.hasOwn(values, text) ? values[text] : undefined);
}

export function port(text: string): number | undefined {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined;
}

export function positiveInteger(text: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

const LONGEST_STOP = 3_600;

export function seconds(text: string): number | undefined {
  return /^\d{1,4}$/.test(text) && Number(text) <= LONGEST_STOP ? Number(text) : undefined;
}

/** Origins as browsers send them, separated by commas. */
export function origins(text: string): ReadonlySet<string> | undefined {
  const listed = text.split(',').map((one) => one.trim());
  return listed.every(isOrigin) ? new Set(listed) : undefined;
}

export function hostName(text: string): string | undefined {
  return isIP(text) > 0 || /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(text) ? text : undefined;
}

export function domain(text: string): string | undefined {
  return /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text) ? text.toLowerCase() : undefined;
}

/**
 * A random text has more distinct characters than this, and is not a repetition of a part of itself: `openssl rand -hex
 * 16`.
 */
const DISTINCT = 8;
const REPEATED = 16;
export const SECRET_RULE = `at least ${SECRET_LENGTH} characters made by chance, such as openssl rand -hex 32 prints`;

export function secretText(text: string): string | undefined {
  if (text.length < SECRET_LENGTH || new Set(text).size < DISTINCT) return undefined;
  return unitOf(text) < REPEATED ? undefined : text;
}

/** The length of the shortest text of which this one is a repetition. */
const unitOf = (text: string): number => `${text}${text}`.indexOf(text, 1);

// Not parsed as a URL: PostgreSQL URLs can contain several hosts.
export function postgresUrl(text: string): string | undefined {
  return /^postgres(ql)?:\/\/\S+$/.test(text) ? text : undefined;
}

/** URL parameters that contain no secret. The value of any other is masked: drivers have many names for passwords. */
const PUBLIC_PARAMETERS = new Set([
  'application_name',
  'channel_binding',
  'connect_timeout',
  'from',
  'gssencmode',
  'sslmode',
  'statement_timeout',
  'target_session_attrs',
]);

/** A URL without its password, and without any query value that may be one. */
export function withoutPassword(text: string): string {
  // A password can contain characters that should have been escaped; a port cannot.
  const plain = text.replace(/(:\/\/[^:@/?]*:)(?!\d+(?:[/?,#]|$))[\s\S]*@/, `$1${maskValue()}@`);
  const at = plain.search(/[?#]/);
  if (at < 0) return plain;
  const parts = plain.slice(at + 1).split('&');
  const maskPart = (part: string) => {
    const [name = '', ...value] = part.split('=');
    if (PUBLIC_PARAMETERS.has(name) && !part.includes('#')) return part;
    return value.length > 0 ? `${name}=${maskValue()}` : maskValue();
  };
  return `${plain.slice(0, at + 1)}${parts.map(maskPart).join('&')}`;
}

export function trustProxy(text: string): string | number | false | undefined {
  if (text === 'off') return false;
  if (/^[1-9]\d?$/.test(text)) return Number(text);
  const known = (item: string) => ['loopback', 'linklocal', 'uniquelocal'].includes(item) || network(item);
  const items = text.split(',').map((item) => item.trim());
  return items.every(known) ? items.join(',') : undefined;
}

function network(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  return (
    bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= (version === 4 ? 32 : 128))
  );
}

export function mail(text: string): Mail | undefined {
  if (text === 'log') return { to: 'log' };
  if (text.startsWith('dir:') && text.length > 4) return { to: 'dir', path: resolve(text.slice(4)) };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.hostname && /^smtps?:$/.test(url.protocol) ? { to: 'smtp', url: text } : undefined;
}

export const DEFAULT_CONNECTIONS = 10;

/** Milliseconds. */
export interface DatabaseTimeouts {
  readonly statement: number;
  readonly read: number;
  readonly lock: number;
  readonly idle_transaction: number;
  readonly connect: number;
  readonly pool: number;
}

export const DEFAULT_TIMEOUTS: DatabaseTimeouts = {
  statement: bounds.statement,
  read: bounds.read_statement,
  lock: 10_000,
  idle_transaction: 5_000,
  connect: 2_000,
  pool: 5_000,
};

const LONGEST_TIMEOUT = 3_600_000;

export function databaseTimeouts(text: string): DatabaseTimeouts | undefined {
  const values = jsonObject(text);
  const isTimeout = ([name, value]: [string, unknown]) =>
    Object.hasOwn(DEFAULT_TIMEOUTS, name) &&
    Number.isInteger(value) &&
    (value as number) > 0 &&
    (value as number) <= LONGEST_TIMEOUT;
  if (!values || !Object.entries(values).every(isTimeout)) return undefined;
  const { statement = DEFAULT_TIMEOUTS.statement } = values as Partial<DatabaseTimeouts>;
  const lock = Math.max(1, Math.min(DEFAULT_TIMEOUTS.lock, Math.floor(statement / 2)));
  const timeouts = { ...DEFAULT_TIMEOUTS, lock, ...values };
  // Otherwise a statement that waits for a lock reaches the statement timeout first, and the client gets 400 instead of
  // 503.
  if (timeouts.lock >= timeouts.statement)
    throw new ValueProblem(`"lock" (${timeouts.lock}) must be less than "statement" (${timeouts.statement})`);
  return timeouts;
}

export const MOST_PROCESSES = 64;

export const atMost = (most: number, value: number | undefined): number | undefined =>
  value !== undefined && value <= most ? value : undefined;

export const atLeast = (least: number, value: number | undefined): number | undefined =>
  value !== undefined && value >= least ? value : undefined;

/** Limits by name; those left out keep their defaults. */
export function collectionLimitsFrom(text: string): CollectionLimits | undefined {
  const values = jsonObject(text);
  if (!values) return undefined;
  for (const [name, most] of Object.entries(values)) {
    if (!Object.hasOwn(DEFAULT_COLLECTION_LIMITS, name)) throw new ValueProblem(`there is no limit "${name}"`);
    if (!Number.isSafeInteger(most) || most < 1) throw new ValueProblem(`"${name}" must be a positive whole number`);
  }
  return { ...DEFAULT_COLLECTION_LIMITS, ...values };
}

export function rateRules(text: string): RateRules | undefined {
  if (text === 'off') return { account: [], events: [], ip: [], password: [], email_change: [] };
  const values = jsonObject(text);
  if (!values || !Object.keys(values).every((name) => Object.hasOwn(DEFAULT_RULES, name))) return undefined;
  const found = Object.entries(values).map(([name, rules]) => [name, rulesOf(rules)] as const);
  return found.every(([, rules]) => rules) ? { ...DEFAULT_RULES, ...Object.fromEntries(found) } : undefined;
}

/** The rules of `seconds:count[,seconds:count]` or `off`, smallest window first. */
function rulesOf(text: unknown): readonly Rule[] | undefined {
  if (text === 'off') return [];
  if (typeof text !== 'string' || !/^\d{1,7}:\d{1,9}(,\d{1,7}:\d{1,9})*$/.test(text)) return undefined;
  const rules = text.split(',').map((rule) => {
    const [seconds = 0, count = 0] = rule.split(':').map(Number);
    return { seconds, count };
  });
  if (!rules.every(({ seconds, count }) => seconds > 0 && seconds <= LONGEST_WINDOW && count > 0)) return undefined;
  return rules.sort((a, b) => a.seconds - b.seconds);
}

function jsonObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
