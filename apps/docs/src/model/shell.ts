const CONTINUED = String.raw`\\[ \t]*\r?\n`;
const QUOTED = String.raw`\$'((?:[^'\\]|\\[\s\S])*)'|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])`;
// An `&` with text on both sides would end a command, too, but more often it is part of a URL without quotes.
const END = String.raw`[;|\n]|&&|&(?=\s|$)|(?<=\s)&`;
const REDIRECTED = String.raw`[0-9]?(?:>>?|<)[ \t]*(?:&[0-9]|[^\s;|&]*)`;
const PARTS = new RegExp(
  String.raw`${CONTINUED}|(${END})|(?<=^|\s)(?:#[^\n]*|${REDIRECTED})|([ \t\r]+)|${QUOTED}|([^\s'"\\$;|&]+|[\s\S])`,
  'g',
);

/** The words of the first command in a piece of shell: quotes undone, lines that go on joined, a prompt left out. */
export function firstCommand(shell: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const match of shell
    .trimStart()
    .replace(/^[$%>] +/, '')
    .matchAll(PARTS)) {
    const [, end, space, ansi, single, double, escaped, plain] = match;
    const text = ansi === undefined ? (single ?? unescaped(double) ?? escaped ?? plain) : fromAnsi(ansi);
    if (text !== undefined) word = (word ?? '') + text;
    else if (word !== undefined && (space ?? end) !== undefined) {
      words.push(word);
      word = undefined;
    }
    if (end !== undefined && words.length > 0) break;
  }
  return word === undefined ? words : [...words, word];
}

const unescaped = (double: string | undefined): string | undefined =>
  double?.replace(/\\\r?\n/g, '').replace(/\\(["\\$`])/g, '$1');

const LETTERS: Record<string, string> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** The text between `$'` and `'`. Several byte escapes can form one UTF-8 character. */
function fromAnsi(text: string): string {
  const escapes = /((?:\\x[\da-fA-F]{1,2}|\\[0-7]{1,3})+)|\\u([\da-fA-F]{1,4})|\\U([\da-fA-F]{1,8})|\\([\s\S])/g;
  return text.replace(escapes, (whole, bytes?: string, short?: string, long?: string, letter?: string) => {
    if (bytes !== undefined) return new TextDecoder().decode(bytesOf(bytes));
    const hex = short ?? long;
    if (hex !== undefined) return codePoint(Number.parseInt(hex, 16)) ?? whole;
    return LETTERS[letter ?? ''] ?? letter ?? whole;
  });
}

const codePoint = (code: number): string | undefined => (code <= 0x10ffff ? String.fromCodePoint(code) : undefined);

const bytesOf = (escapes: string): Uint8Array =>
  Uint8Array.from(escapes.matchAll(/\\(?:x([\da-fA-F]+)|([0-7]+))/g), ([, hex, octal]) =>
    hex === undefined ? Number.parseInt(octal ?? '', 8) : Number.parseInt(hex, 16),
  );
