// URI templates of RFC 6570: all four levels, for string values.

/** How an operator, the first character of an expression, expands its values (RFC 6570, appendix A). */
interface Manner {
  readonly first: string;
  readonly separator: string;
  /** The text between a variable's name and an empty value; undefined where the name is not shown at all. */
  readonly ifEmpty?: string;
  /** Whether reserved characters are kept unescaped. */
  readonly raw?: boolean;
}

const manners: Readonly<Record<string, Manner>> = {
  '': { first: '', separator: ',' },
  '+': { first: '', separator: ',', raw: true },
  '#': { first: '#', separator: ',', raw: true },
  '.': { first: '.', separator: '.' },
  '/': { first: '/', separator: '/' },
  ';': { first: ';', separator: ';', ifEmpty: '' },
  '?': { first: '?', separator: '&', ifEmpty: '=' },
  '&': { first: '&', separator: '&', ifEmpty: '=' },
};

interface Variable {
  readonly name: string;
  /** The maximum length of the value (prefix modifier). */
  readonly length: number | undefined;
}

type Part = string | { readonly manner: Manner; readonly variables: readonly Variable[] };

export interface UrlTemplate {
  /** The names of its variables, each once. */
  readonly variables: readonly string[];
  /** The expanded URL. A variable without a value is omitted, and an expression without any value is empty. */
  expand(lookUp: (variable: string) => string | undefined): string;
}

const ESCAPED = '%[0-9A-Fa-f]{2}';
const PLAIN = '[!#$&-;=?-\\[\\]_a-z~]';
const FOREIGN =
  '(?!\\p{NChar})[\\u{A0}-\\u{D7FF}\\u{E000}-\\u{FDCF}\\u{FDF0}-\\u{FFEF}\\u{10000}-\\u{DFFFF}\\u{E1000}-\\u{10FFFF}]';
const part = new RegExp(`((?:${PLAIN}|${FOREIGN}|${ESCAPED})+)|\\{([+#./;?&]?)([^{}]+)\\}`, 'uy');
const LETTER = `(?:\\w|${ESCAPED})`;
const variable = new RegExp(`^(${LETTER}+(?:\\.${LETTER}+)*)(?:\\*|:([1-9]\\d{0,3}))?$`);

/** Undefined for an invalid URI template. */
export function parseUrlTemplate(template: string): UrlTemplate | undefined {
  const parts: Part[] = [];
  part.lastIndex = 0;
  for (let at = 0; at < template.length; at = part.lastIndex) {
    const [, literal, operator = '', list = ''] = part.exec(template) ?? [];
    const parsed = literal === undefined ? expression(operator, list) : inAscii(literal);
    if (parsed === undefined) return undefined;
    parts.push(parsed);
  }
  const names = parts.flatMap((one) => (typeof one === 'string' ? [] : one.variables.map(({ name }) => name)));
  return {
    variables: [...new Set(names)],
    expand: (lookUp) => parts.map((one) => (typeof one === 'string' ? one : expanded(one, lookUp))).join(''),
  };
}

function expression(operator: string, list: string): Exclude<Part, string> | undefined {
  const manner = manners[operator];
  const variables: Variable[] = [];
  for (const text of list.split(',')) {
    const [, name, length] = variable.exec(text) ?? [];
    if (name === undefined) return undefined;
    variables.push({ name, length: length === undefined ? undefined : Number(length) });
  }
  return manner && { manner, variables };
}

function expanded({ manner, variables }: Exclude<Part, string>, lookUp: (variable: string) => string | undefined) {
  const values = variables.flatMap(({ name, length }) => {
    const value = lookUp(name);
    if (value === undefined) return [];
    const prefix = length === undefined ? value : [...value].slice(0, length).join('');
    const encodedValue = manner.raw ? encodeRaw(prefix) : encode(prefix);
    if (manner.ifEmpty === undefined) return [encodedValue];
    return [encodedValue === '' ? `${name}${manner.ifEmpty}` : `${name}=${encodedValue}`];
  });
  return values.length === 0 ? '' : `${manner.first}${values.join(manner.separator)}`;
}

/** Everything but letters, digits and `-._~` is escaped. */
function encode(value: string): string {
  const escaped = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(wellFormed(value)).replace(/[!'()*]/g, escaped);
}

/** Reserved and already escaped characters are kept. */
function encodeRaw(value: string): string {
  const pieces = wellFormed(value).split(new RegExp(`(${ESCAPED})`));
  const isEscaped = (index: number) => index % 2 === 1;
  return pieces
    .map((piece, index) => (isEscaped(index) ? piece : encodeURI(piece).replace(/%5B/g, '[').replace(/%5D/g, ']')))
    .join('');
}

const inAscii = (literal: string): string => literal.replace(/[^\p{ASCII}]+/gu, encodeURIComponent);

/** A lone surrogate has no escape; encoding it would throw. */
const wellFormed = (value: string): string => value.replace(/\p{Cs}/gu, '\ufffd');
