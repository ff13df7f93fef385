import type { ConsoleField } from './console.ts';
import { type CurlOption, optionsOf } from './curl-options.ts';
import { textOf } from './form.ts';
import { KEY, type SampleCall } from './samples.ts';
import type { ApiLogin } from './send.ts';
import { firstCommand } from './shell.ts';

/** The request of a curl command. */
export interface PastedCommand {
  method: string;
  path: string;
  /** Decoded parameters, and the Idempotency-Key by the name of its header. */
  fields: [string, string][];
  login?: ApiLogin;
  /** The parts that the form cannot hold, as texts for the reader. */
  left: string[];
}

/** A part of a command: its fields, its credentials, or what the form leaves out. */
type Part = Partial<Pick<PastedCommand, 'fields' | 'login' | 'left'>>;

/** Parses a curl command. Undefined for any other text. */
export function readCurl(command: string): PastedCommand | undefined {
  const [first, ...words] = firstCommand(command);
  if (first !== 'curl') return undefined;
  const options = optionsOf(words);
  const all = (...names: string[]) => options.filter(({ name }) => names.includes(name)).map(({ value }) => value);
  const address = all('--url')[0] ?? addressIn(all(''));
  if (address === undefined) return undefined;
  const [, location = '', query = ''] = /^([^?#]*)\??([^#]*)/s.exec(address) ?? [];
  const isJson = all('--header').some((header) => /^content-type:\s*application\/json/i.test(header));
  const parts: Part[] = [{ fields: [...new URLSearchParams(query)] }, ...options.map((one) => partOf(one, isJson))];
  const login = parts.findLast((part) => part.login)?.login;
  return {
    method: methodOf(options, all('-X', '--request')[0]),
    path: location.replace(/^([a-z]+:\/\/)?[^/]*/i, '').replace(/^\/api\/v1/, ''),
    fields: parts.flatMap(({ fields = [] }) => fields),
    ...(login && { login }),
    left: parts.flatMap(({ left = [] }) => left),
  };
}

/** The URL among the words that belong to no option. Words before it can be values of options that are not known here. */
const addressIn = (words: readonly string[]): string | undefined =>
  words.find((word) => /:\/\/|\/api\//.test(word)) ?? words[0];

function methodOf(options: readonly CurlOption[], requested: string | undefined): string {
  const has = (pattern: RegExp) => options.some(({ name }) => pattern.test(name));
  if (requested !== undefined) return requested.toUpperCase();
  if (has(/^(-I|--head)$/)) return 'HEAD';
  if (has(/^--upload-file$/)) return 'PUT';
  return has(/^--(data|form|json)/) && !has(/^(-G|--get)$/) ? 'POST' : 'GET';
}

function partOf({ name, value }: CurlOption, isJson: boolean): Part {
  const at = value.indexOf('=');
  const pair: [string, string] = [value.slice(0, Math.max(at, 0)), value.slice(at + 1)];
  switch (name) {
    case '--user':
      // The reader sets variables of the shell, as in the samples.
      return value.includes('$') ? {} : loginIn(value, '-u');
    case '--header':
      return headerPart(value);
    case '--data-urlencode':
      return encodedPart(value, pair);
    case '--form-string':
      return { fields: [pair] };
    case '--form':
      // The reader chooses a file.
      return /^[@<]/.test(pair[1]) ? { left: [`the file of ${pair[0]}`] } : { fields: [pair] };
    case '--json':
      return jsonPart(value);
    case '--data-raw':
    case '--url-query':
      return bodyPart(value, isJson);
    case '--data':
    case '--data-ascii':
    case '--data-binary':
      return value.startsWith('@') ? { left: [`the body in ${value.slice(1)}`] } : bodyPart(value, isJson);
    case '--upload-file':
      return { left: [`the file ${value}`] };
    case '--oauth2-bearer':
      return { left: ['the credentials of --oauth2-bearer'] };
    default:
      return {};
  }
}

/** `name=text`; with an `@` before any `=` the text is in a file. */
function encodedPart(value: string, pair: [string, string]): Part {
  const [, name, file] = /^([^=@]*)@(.*)$/s.exec(value) ?? [];
  return file === undefined ? { fields: [pair] } : { left: [`${name || 'the body'} from the file ${file}`] };
}

const bodyPart = (value: string, isJson: boolean): Part =>
  isJson || /^\s*\{/.test(value) ? jsonPart(value) : { fields: [...new URLSearchParams(value)] };

function jsonPart(value: string): Part {
  try {
    const body: unknown = JSON.parse(value);
    if (typeof body === 'object' && body !== null && !Array.isArray(body))
      return { fields: Object.entries(body).map(([name, one]) => [name, one === '' ? '' : textOf(one)]) };
  } catch {
    // The note below says that it was left out.
  }
  return { left: ['a body that is not a JSON object'] };
}

/** The idempotency key or the credentials of a header. The form has no other headers. */
function headerPart(header: string): Part {
  const at = header.indexOf(':');
  const [name, value] = [header.slice(0, at).trim().toLowerCase(), header.slice(at + 1).trim()];
  if (name === KEY.toLowerCase()) return { fields: [[KEY, value]] };
  if (name !== 'authorization') return {};
  const [, encoded = ''] = /^basic\s+(\S+)$/i.exec(value) ?? [];
  return loginIn(decoded(encoded), 'Authorization');
}

/** Credentials, if they are complete. */
function loginIn(text: string, where: string): Part {
  const at = text.lastIndexOf(':');
  if (at < 1) return { left: [`the credentials of ${where}`] };
  return { login: { email: text.slice(0, at), apiKey: text.slice(at + 1) } };
}

function decoded(base64: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
  } catch {
    return '';
  }
}

/** The texts for a form, and what it leaves out. */
export interface Filling {
  texts: Map<string, string>;
  /** Names of parameters that the operation does not have. */
  unknown: string[];
  /** Other parts that are left out, as texts for the reader. */
  left: string[];
}

/** The texts of an operation's fields from a command. Undefined if the command is for another operation. */
export function fillFrom(
  pasted: PastedCommand,
  call: SampleCall,
  fields: readonly ConsoleField[],
): Filling | undefined {
  const inPath = matched(call.path, pasted.path);
  if (!inPath || pasted.method.toLowerCase() !== call.method) return undefined;
  const texts = new Map([...inPath, ...pasted.fields]);
  const twice = pasted.fields.filter(([name, text]) => texts.get(name) !== text);
  const misfits = fields.filter((field) => texts.has(field.name) && !canHold(field, texts.get(field.name) ?? ''));
  const left = [...twice, ...misfits.map(({ name }) => [name, texts.get(name)])].map((pair) => pair.join('='));
  for (const { name } of misfits) texts.delete(name);
  const others = [...texts.keys()].filter((name) => !fields.some((field) => field.name === name));
  const unknown = others.map((name) => name || 'a text without a name');
  return { texts, unknown, left: [...left, ...pasted.left] };
}

/** A select element holds only its options, and the reader chooses a file by hand. */
const canHold = ({ control, values }: ConsoleField, text: string): boolean =>
  control !== 'file' && (control !== 'choice' || values.includes(text));

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
