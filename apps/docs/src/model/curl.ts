import { type Call, KEY } from './samples.ts';

/** What a curl command would send. */
export interface Pasted {
  method: string;
  path: string;
  /** Parameters as they travel, decoded, and the Idempotency-Key by the name of its header. */
  fields: [string, string][];
  login?: { email: string; apiKey: string };
}

const WITH_VALUE =
  /^(-[XuHdFAbeomx]|--(request|user|header|data|data-raw|data-binary|data-urlencode|form|form-string|url|url-query|user-agent|max-time|output|cookie|referer|proxy))$/;

/** Reads a curl command. Undefined when it is none. */
export function readCurl(command: string): Pasted | undefined {
  const [first, ...words] = shellWords(command.replace(/^(\s*(#.*)?\n)+/, '').trim());
  if (first !== 'curl') return undefined;
  const given = optionsOf(words);
  const all = (...names: string[]) => given.filter(([name]) => names.includes(name)).map(([, value]) => value);
  const address = all('--url', '')[0];
  if (address === undefined) return undefined;
  const [place = '', query = ''] = address.split('?');
  const inBody = given.flatMap(([name, value]) => fieldsOf(name, value));
  const hasBody = given.some(([name]) => /^(-[dF]|--(data|form)\b.*)$/.test(name));
  const login = all('-u', '--user')[0];
  const asked = all('-X', '--request')[0]?.toUpperCase();
  return {
    method: asked ?? (all('-G', '--get').length > 0 || !hasBody ? 'GET' : 'POST'),
    path: place.replace(/^(https?:\/\/)?[^/]*/, '').replace(/^\/api\/v1/, ''),
    fields: [...new URLSearchParams(query), ...inBody, ...all('-H', '--header').flatMap(keyIn)],
    ...(login !== undefined && !login.includes('$') && { login: loginOf(login) }),
  };
}

/** Options with their values, `-XPOST` and `--request=POST` taken apart; the address has no name. */
function optionsOf(words: readonly string[]): [string, string][] {
  const found: [string, string][] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const joined = /^(--[\w-]+)=(.*)$/s.exec(word) ?? /^(-[XuHdF])(.+)$/s.exec(word);
    if (!word.startsWith('-')) found.push(['', word]);
    else if (WITH_VALUE.test(word)) found.push([word, words[++at] ?? '']);
    else if (joined) found.push([joined[1] ?? '', joined[2] ?? '']);
    else found.push([/^-\w*G/.test(word) ? '-G' : word, '']);
  }
  return found;
}

function fieldsOf(option: string, value: string): [string, string][] {
  const at = value.indexOf('=');
  const pair: [string, string] = [value.slice(0, Math.max(at, 0)), value.slice(at + 1)];
  if (option === '--data-urlencode' || option === '--form-string') return [pair];
  // A file stays the reader's to choose.
  if (option === '-F' || option === '--form') return pair[1].startsWith('@') ? [] : [pair];
  if (/^(-d|--data(-raw|-binary)?|--url-query)$/.test(option)) return [...new URLSearchParams(value)];
  return [];
}

/** The key that a header brings, if it is that one. */
function keyIn(header: string): [string, string][] {
  const at = header.indexOf(':');
  return header.slice(0, at).trim().toLowerCase() === KEY.toLowerCase() ? [[KEY, header.slice(at + 1).trim()]] : [];
}

function loginOf(text: string): { email: string; apiKey: string } {
  const at = text.lastIndexOf(':');
  return { email: text.slice(0, at), apiKey: text.slice(at + 1) };
}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r' };

/** The words of a shell command: quotes undone, lines that go on joined. */
function shellWords(command: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  const parts = /\\\r?\n|\s+|\$'((?:[^'\\]|\\.)*)'|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|[^\s'"\\$]+|\$/g;
  for (const [whole, ansi, single, double, escaped] of command.matchAll(parts)) {
    if (/^\\\r?\n$/.test(whole)) continue;
    if (/^\s+$/.test(whole)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    const text =
      ansi?.replace(/\\(.)/g, (_, letter: string) => ESCAPES[letter] ?? letter) ??
      single ??
      double?.replace(/\\(["\\$`])/g, '$1') ??
      escaped ??
      whole;
    word = (word ?? '') + text;
  }
  return word === undefined ? words : [...words, word];
}

/** The texts of an operation's fields as a command gives them, or why they are not for it. */
export function fillFrom(
  pasted: Pasted,
  call: Call,
  names: readonly string[],
): { texts: Map<string, string>; unknown: string[] } | undefined {
  const inPath = matched(call.path, pasted.path);
  if (!inPath || pasted.method.toLowerCase() !== call.method) return undefined;
  const texts = new Map([...inPath, ...pasted.fields]);
  const unknown = [...texts.keys()].filter((name) => !names.includes(name));
  return { texts, unknown };
}

function matched(template: string, path: string): Map<string, string> | undefined {
  const names: string[] = [];
  const pattern = template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{(\w+)\}/g, (_, name: string) => {
    names.push(name);
    return '([^/]+)';
  });
  const found = new RegExp(`^${pattern}$`).exec(path);
  try {
    return found ? new Map(names.map((name, at) => [name, decodeURIComponent(found[at + 1] ?? '')])) : undefined;
  } catch {
    return undefined; // A percent sign that encodes nothing.
  }
}
