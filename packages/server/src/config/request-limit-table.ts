import { computeAdmissionLimits, computeEmbeddedAdmissionLimits } from '../core/admission-limits.ts';
import { DEFAULT_COLLECTION_LIMITS } from '../core/collection-limits.ts';
import { bounds, limits } from '../core/limits.ts';
import { DEFAULT_CONNECTIONS, DEFAULT_RULES, type Rule } from './values.ts';

/** A limit on what a request, or the requests of a client, can use. */
export interface RequestLimit {
  readonly what: string;
  /** With its unit. */
  readonly default: string;
  /** The setting of the server that changes it. */
  readonly setting?: string;
  /** The code of the error response; absent: the connection ends, or a page ends early. */
  readonly code?: 'BAD_REQUEST' | 'BAD_NARROW' | 'RATE_LIMIT_HIT' | 'SERVICE_UNAVAILABLE';
}

const count = (value: number, unit = ''): string => `${value.toLocaleString('en-US')}${unit && ` ${unit}`}`;
const mib = (bytes: number): string => count(bytes / (1024 * 1024), 'MiB');
const seconds = (ms: number): string => count(ms / 1000, 's');
const rules = (of: readonly Rule[]): string => of.map((rule) => `${rule.count} in ${rule.seconds} s`).join(', ');
const { requests, serial, transactions } = computeAdmissionLimits(DEFAULT_CONNECTIONS);
const { timeouts = { wait: 0, target: 0 }, lane = 0, group = 0 } = requests;
const { requests: embedded } = computeEmbeddedAdmissionLimits();
const onBoth = (value: number, onEmbedded = 0): string =>
  `${count(value)}; on the embedded database ${count(onEmbedded)}`;

const RATE = { setting: 'PARLEY_RATE_LIMITS', code: 'RATE_LIMIT_HIT' } as const;
const REJECTED = { code: 'BAD_REQUEST' } as const;
const BUSY = { code: 'SERVICE_UNAVAILABLE' } as const;
const ADMISSION = { setting: 'PARLEY_DATABASE_CONNECTIONS', ...BUSY } as const;

/** The table of request limits in the page "Limits" of the documentation; every number is the enforced one. */
export const requestLimitTable: readonly RequestLimit[] = [
  {
    what: 'Requests of an account; requests of a bot also count for its owner',
    default: rules(DEFAULT_RULES.account),
    ...RATE,
  },
  {
    what: 'Polls (`GET /events`) of an account that deliver no new events, streams, and acknowledgements',
    default: rules(DEFAULT_RULES.events),
    ...RATE,
  },
  {
    what: 'Requests of an IP address without credentials, with wrong credentials, to log in, for missing pictures: each',
    default: rules(DEFAULT_RULES.ip),
    ...RATE,
  },
  { what: 'Wrong passwords for an account from one network', default: rules(DEFAULT_RULES.password), ...RATE },
  { what: 'Requests to change an email address', default: rules(DEFAULT_RULES.email_change), ...RATE },
  { what: 'Requests in progress at once', default: onBoth(requests.running, embedded.running), ...ADMISSION },
  { what: 'Requests of one organization in progress at once', default: onBoth(group, embedded.group), ...ADMISSION },
  {
    what: 'Requests of one account, or of an IP address without known credentials, in progress at once',
    default: onBoth(lane, embedded.lane),
    ...ADMISSION,
  },
  { what: 'Requests that wait for admission', default: count(requests.waiting), ...BUSY },
  {
    what: 'Requests that wait while more requests arrive than the server completes',
    default: `as many as the server completes in ${count(timeouts.target, 'ms')}, and at least ${count(requests.running)}`,
    ...BUSY,
  },
  { what: 'Wait for admission', default: count(timeouts.wait, 'ms'), ...BUSY },
  {
    what: 'Requests of one account, and of its bots, in progress at once, of classes with `serial` in `x-budgets`',
    default: count(serial.lane ?? 0),
    ...BUSY,
  },
  { what: 'Wait of such a request for an earlier one', default: seconds(serial.timeouts?.wait ?? 0), ...BUSY },
  { what: 'Such requests of all accounts that wait', default: count(serial.waiting), ...BUSY },
  { what: 'Wait of a message for earlier ones to its stream', default: seconds(transactions.wait), ...BUSY },
  {
    what: 'A statement of a request that only reads',
    default: seconds(bounds.read_statement),
    setting: 'PARLEY_DATABASE_TIMEOUTS',
    ...REJECTED,
  },
  {
    what: 'A request body, after decompression',
    default: '`body` of the operation’s class in `x-budgets`',
    ...REJECTED,
  },
  { what: 'Fields of a form, a query or a JSON body', default: count(bounds.fields), ...REJECTED },
  {
    what: 'Characters of `Accept`, `Accept-Encoding` and `Accept-Language`',
    default: `${count(bounds.preference_header)}; the server ignores a longer header`,
  },
  { what: 'Values in JSON', default: count(bounds.json_values), ...REJECTED },
  { what: 'Keys, arrays and objects in JSON', default: count(bounds.json_nodes), ...REJECTED },
  { what: 'Levels of JSON', default: count(bounds.depth), ...REJECTED },
  {
    what: 'A page of a response',
    default: '`response` of the operation’s class in `x-budgets`; the rest comes with the next page',
  },
  { what: 'Earlier versions in a page of messages', default: mib(bounds.page_versions) },
  { what: 'Messages in a page', default: count(bounds.messages), ...REJECTED },
  { what: 'Earlier versions of the content of a message', default: count(bounds.message_versions), ...REJECTED },
  { what: 'Words in the `search` terms of a narrow', default: count(bounds.search_words), code: 'BAD_NARROW' },
  {
    what: 'Characters in the `search` terms of a narrow',
    default: count(bounds.search_characters),
    code: 'BAD_NARROW',
  },
  { what: 'Users in a `dm` term of a narrow', default: count(bounds.narrow_users), code: 'BAD_NARROW' },
  {
    what: 'Request bodies of an account in flight at once',
    default: mib(bounds.request_bytes.account),
    code: 'RATE_LIMIT_HIT',
  },
  {
    what: 'Request bodies of an IP address without credentials in flight at once',
    default: mib(bounds.request_bytes.address),
    code: 'RATE_LIMIT_HIT',
  },
  { what: 'Request bodies of all clients in flight at once', default: mib(bounds.request_bytes.process), ...BUSY },
  {
    what: 'Responses that an account has not read yet',
    default: mib(bounds.response_bytes.account),
    code: 'RATE_LIMIT_HIT',
  },
  { what: 'Downloads of an account at once', default: count(bounds.downloads), code: 'RATE_LIMIT_HIT' },
  { what: 'Time without progress of a request body or a response', default: seconds(bounds.idle_timeout) },
  {
    what: 'Values of `Idempotency-Key` of an account in 24 hours',
    default: count(bounds.idempotency_keys.keys),
    ...REJECTED,
  },
  { what: 'An uploaded file', default: `${limits.max_file_upload_size_mib} MiB`, ...REJECTED },
  {
    what: 'Files of an organization',
    default: mib(bounds.upload_space),
    setting: 'PARLEY_UPLOAD_SPACE_MIB',
    ...REJECTED,
  },
  {
    what: 'Files of an account',
    default: mib(DEFAULT_COLLECTION_LIMITS.upload_bytes),
    setting: 'PARLEY_COLLECTION_LIMITS',
    ...REJECTED,
  },
];
