import { encodeForm } from '@parley/client';
import type { Method } from './document.ts';
import { literal } from './literal.ts';

/** A call to show: what to send, to which operation. The console gives the values of its form, pages give an example. */
export interface Call {
  operationId: string;
  method: Method;
  path: string;
  needsLogin: boolean;
  params: Record<string, unknown>;
  /** Fields of the answer to take apart in the client's sample; none: the whole answer. */
  picks?: string[];
}

export interface Sample {
  id: 'curl' | 'client' | 'fetch';
  label: string;
  language: 'shell' | 'ts' | 'js';
  code: string;
}

export const SERVER = 'http://localhost:8080';

/** One call in three ways. All three send the same parameters, encoded by the client's own encoder or in the same words. */
export function samplesOf(call: Call, server = SERVER): Sample[] {
  return [
    { id: 'curl', label: 'curl', language: 'shell', code: curl(call, server) },
    { id: 'client', label: 'JavaScript client', language: 'ts', code: client(call, server) },
    { id: 'fetch', label: 'fetch', language: 'js', code: plainFetch(call, server) },
  ];
}

/** The address of a call, and the parameters that are not part of it. */
export function addressed({ path, params }: Pick<Call, 'path' | 'params'>): {
  path: string;
  rest: Record<string, unknown>;
} {
  const rest = { ...params };
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name];
    delete rest[name];
    return encodeURIComponent(String(value ?? name));
  });
  return { path: filled, rest };
}

function curl(call: Call, server: string): string {
  const { path, rest } = addressed(call);
  const pairs = [...encodeForm(rest)];
  const verb =
    call.method === 'get'
      ? pairs.length > 0
        ? ' -G'
        : ''
      : impliedPost(call, pairs)
        ? ''
        : ` -X ${call.method.toUpperCase()}`;
  const lines = [
    `curl -sS${verb} ${quoted(`${server}/api/v1${path}`)}`,
    ...(call.needsLogin ? ['-u "$EMAIL:$API_KEY"'] : []),
    ...pairs.map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`),
  ];
  return lines.join(' \\\n  ');
}

/** curl sends a POST by itself when there is something to send. */
const impliedPost = (call: Call, pairs: unknown[]): boolean => call.method === 'post' && pairs.length > 0;

/** A shell word: bare when nothing in it is special. */
function quoted(text: string): string {
  return /^[\w./:@%,+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function client(call: Call, server: string): string {
  const login = call.needsLogin ? ', { login: { email, apiKey } }' : '';
  const given = Object.keys(call.params).length > 0 ? literal(call.params) : '';
  const answer = call.picks?.length ? `{ ${call.picks.join(', ')} }` : 'answer';
  return [
    "import { createClient } from '@parley/client';",
    '',
    `const api = createClient('${server}'${login});`,
    `const ${answer} = await api.${call.operationId}(${given});`,
  ].join('\n');
}

function plainFetch(call: Call, server: string): string {
  const { path, rest } = addressed(call);
  const url = `${server}/api/v1${path}`;
  const given = Object.keys(rest).length > 0;
  const fields = literal(rest, '  ', (value) =>
    typeof value === 'string' ? undefined : `JSON.stringify(${literal(value, '    ')})`,
  );
  const inQuery = call.method === 'get' && given;
  const options = [
    ...(call.method === 'get' ? [] : [`  method: '${call.method.toUpperCase()}',`]),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the sample's text.
    ...(call.needsLogin ? ['  headers: { Authorization: `Basic ${btoa(`${email}:${apiKey}`)}` },'] : []),
    ...(given && !inQuery ? [`  body: new URLSearchParams(${fields}),`] : []),
  ];
  const init = options.length > 0 ? `, {\n${options.join('\n')}\n}` : '';
  return [
    ...(inQuery
      ? [
          `const query = new URLSearchParams(${literal(rest, '', (value) => (typeof value === 'string' ? undefined : `JSON.stringify(${literal(value, '  ')})`))});`,
        ]
      : []),
    inQuery
      ? `const response = await fetch(\`${url}?\${query}\`${init});`
      : `const response = await fetch('${url}'${init});`,
    'const answer = await response.json();',
  ].join('\n');
}
