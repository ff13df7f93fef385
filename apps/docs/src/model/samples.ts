import { encodeForm } from '@parley/client';
import type { HttpMethod } from '@parley/openapi/document';
import { literal } from './literal.ts';
import { SERVER } from './urls.ts';

/** A call to show: an operation and its parameters, from the form of the console or from an example. */
export interface SampleCall {
  operationId: string;
  method: HttpMethod;
  path: string;
  needsLogin: boolean;
  params: Record<string, unknown>;
  /** The Idempotency-Key, if the call has one. */
  key?: string;
  /** Parameters that are files. The reader supplies the file, as well as the credentials. */
  files?: string[];
  /** Fields of the response that the client's sample destructures. None: the sample names the whole response. */
  picks?: string[];
}

export interface Sample {
  id: 'curl' | 'client' | 'fetch';
  label: string;
  language: 'shell' | 'ts' | 'js';
  code: string;
}

/** The header of an idempotency key. */
export const KEY = 'Idempotency-Key';

// Not `btoa` of the text itself: it fails for some characters of an address, and encodes others differently.
// biome-ignore lint/suspicious/noTemplateCurlyInString: it is the sample's text.
const CREDENTIALS = 'const credentials = new TextEncoder().encode(`${email}:${apiKey}`);';
// biome-ignore lint/suspicious/noTemplateCurlyInString: it is the sample's text.
const AUTHORIZATION = 'Authorization: `Basic ${btoa(String.fromCharCode(...credentials))}`';

const credentialsLine = ({ needsLogin }: SampleCall): string[] => (needsLogin ? [CREDENTIALS] : []);

/** The line with the headers of a request in JavaScript, if it has any. */
function headerLine({ needsLogin, key }: SampleCall): string[] {
  const headers = [
    ...(needsLogin ? [AUTHORIZATION] : []),
    ...(key === undefined ? [] : [`${literal(KEY)}: ${literal(key)}`]),
  ];
  return headers.length > 0 ? [`  headers: { ${headers.join(', ')} },`] : [];
}

/** The name of the reader's file in samples. */
const FILE = 'picture';
const theFile = Symbol(FILE);
const fileOrNot = (value: unknown): string | undefined => (value === theFile ? FILE : undefined);

/**
 * One call in three languages. All three send the same parameters, with the encoding of the client.
 * Remarks, of a line each, precede the code.
 */
export function samplesOf(call: SampleCall, server = SERVER, remarks: readonly string[] = []): Sample[] {
  const below = (mark: string, code: string) => [...remarks.map((text) => `${mark} ${text}`), code].join('\n');
  return [
    { id: 'curl', label: 'curl', language: 'shell', code: below('#', curl(call, server)) },
    { id: 'client', label: 'JavaScript client', language: 'ts', code: below('//', client(call, server)) },
    { id: 'fetch', label: 'fetch', language: 'js', code: below('//', plainFetch(call, server)) },
  ];
}

/** The address of a call, and the parameters that are not part of it. What is missing in it keeps its braces. */
export function addressed({ path, params }: Pick<SampleCall, 'path' | 'params'>): {
  path: string;
  rest: Record<string, unknown>;
} {
  const rest = { ...params };
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name];
    delete rest[name];
    return value === undefined ? `{${name}}` : encodeURIComponent(String(value));
  });
  return { path: filled, rest };
}

function curl(call: SampleCall, server: string): string {
  const { path, rest } = addressed(call);
  const isGet = call.method === 'get';
  const pairs = [...encodeForm(rest)];
  const files = call.files ?? [];
  // Not with `-G`: some versions of curl then write %5B in lower case.
  const query = isGet && pairs.length > 0 ? `?${encodeForm(rest)}` : '';
  const verb = isGet || impliedPost(call, [...pairs, ...files]) ? '' : ` -X ${call.method.toUpperCase()}`;
  const body = pairs.map(([name, value]) => (files.length > 0 ? formField(name, value) : field(name, value)));
  const lines = [
    `curl -sS${verb} ${quoted(`${server}/api/v1${path}${query}`)}`,
    ...(call.needsLogin ? ['-u "$EMAIL:$API_KEY"'] : []),
    ...(call.key === undefined ? [] : [`-H ${quoted(`${KEY}: ${call.key}`)}`]),
    ...(isGet ? [] : body),
    ...files.map((name) => `-F ${name}=@${FILE}.png`),
  ];
  return [...(isGet ? pairs.flatMap(remark) : []), lines.join(' \\\n  ')].join('\n');
}

/** JSON in a URL is hard to read, so a remark repeats it. Not with line breaks, which would end the remark. */
const remark = ([name, value]: [string, string]): string[] =>
  /^[[{][^\r\n]*$/.test(value) ? [`# ${name}=${value}`] : [];

const formField = (name: string, value: string): string => `--form-string ${quoted(`${name}=${value}`)}`;

/** Without encoding: curl encodes it. */
const field = (name: string, value: string): string => `--data-urlencode ${quoted(`${name}=${value}`)}`;

/** curl sends a POST by itself when there is something to send. */
const impliedPost = (call: SampleCall, pairs: unknown[]): boolean => call.method === 'post' && pairs.length > 0;

/** A shell word: bare when nothing in it is special. */
function quoted(text: string): string {
  return /^[\w./:@%,+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function client(call: SampleCall, server: string): string {
  const login = call.needsLogin ? ', { login: { email, apiKey } }' : '';
  const params = { ...call.params, ...Object.fromEntries((call.files ?? []).map((name) => [name, theFile])) };
  const empty = Object.keys(params).length === 0;
  const args = empty && call.key === undefined ? [] : [empty ? '{}' : literal(params, '', fileOrNot)];
  if (call.key !== undefined) args.push(literal({ idempotencyKey: call.key }));
  const target = call.picks?.length ? `{ ${call.picks.join(', ')} }` : 'response';
  return [
    "import { createClient } from '@parley/client';",
    '',
    `const api = createClient('${server}'${login});`,
    `const ${target} = await api.${call.operationId}(${args.join(', ')});`,
  ].join('\n');
}

function fileFetch(call: SampleCall, server: string): string {
  const { path, rest } = addressed(call);
  const inWords = (value: unknown) =>
    typeof value === 'string' ? literal(value) : `JSON.stringify(${literal(value)})`;
  const fields = [
    ...Object.entries(rest).map(([name, value]) => [name, inWords(value)] as const),
    ...(call.files ?? []).map((name) => [name, FILE] as const),
  ];
  return [
    ...credentialsLine(call),
    'const form = new FormData();',
    ...fields.map(([name, value]) => `form.set(${literal(name)}, ${value});`),
    `const response = await fetch(${literal(`${server}/api/v1${path}`)}, {`,
    `  method: '${call.method.toUpperCase()}',`,
    ...headerLine(call),
    '  body: form,',
    '});',
    'const data = await response.json();',
  ].join('\n');
}

function plainFetch(call: SampleCall, server: string): string {
  if (call.files?.length) return fileFetch(call, server);
  const { path, rest } = addressed(call);
  const url = `${server}/api/v1${path}`;
  const hasFields = Object.keys(rest).length > 0;
  const fields = literal(rest, '  ', (value) =>
    typeof value === 'string' ? undefined : `JSON.stringify(${literal(value, '    ')})`,
  );
  const inQuery = call.method === 'get' && hasFields;
  const options = [
    ...(call.method === 'get' ? [] : [`  method: '${call.method.toUpperCase()}',`]),
    ...headerLine(call),
    ...(hasFields && !inQuery ? [`  body: new URLSearchParams(${fields}),`] : []),
  ];
  const init = options.length > 0 ? `, {\n${options.join('\n')}\n}` : '';
  return [
    ...credentialsLine(call),
    ...(inQuery
      ? [
          `const query = new URLSearchParams(${literal(rest, '', (value) => (typeof value === 'string' ? undefined : `JSON.stringify(${literal(value, '  ')})`))});`,
        ]
      : []),
    inQuery
      ? `const response = await fetch(\`${url}?\${query}\`${init});`
      : `const response = await fetch(${literal(url)}${init});`,
    'const data = await response.json();',
  ].join('\n');
}
