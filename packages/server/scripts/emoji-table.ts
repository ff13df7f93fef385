// Writes the table of Unicode emoji names that the server ships. Run by `npm run generate`; what it writes is not committed.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { ownNames } from '../src/features/emoji/own-names.ts';

const load = createRequire(import.meta.url);
const out = new URL('../src/features/emoji/generated/', import.meta.url);

interface Emoji {
  hexcode: string;
  label: string;
  tags?: string[];
  group?: number;
}

/** Where several sets give one name to different emoji, the earlier set has it. */
const sets = ['github', 'iamcal', 'emojibase', 'joypixels', 'cldr', 'emojibase-legacy'];
/** Skin tones and hair are parts of other emoji. */
const COMPONENTS = 2;
/** No name is longer. */
const LONGEST_NAME = 100;

const emoji = (load('emojibase-data/en/data.json') as Emoji[]).filter(({ group }) => group !== COMPONENTS);
const known = new Set(emoji.map(({ hexcode }) => codeOf(hexcode)));
const table = new Map<string, string>(Object.entries(ownNames));
const others = new Map<string, Set<string>>();

for (const set of sets) {
  const names = load(`emojibase-data/en/shortcodes/${set}.json`) as Record<string, string | string[]>;
  for (const { hexcode } of emoji) {
    for (const name of [names[hexcode] ?? []].flat()) {
      if (table.has(name)) addOther(codeOf(hexcode), name);
      else table.set(name, codeOf(hexcode));
    }
  }
}
for (const { hexcode, label, tags = [] } of emoji)
  for (const word of [label, ...tags]) addOther(codeOf(hexcode), nameOf(word));
for (const [character, words] of Object.entries(load('emojilib') as Record<string, string[]>)) {
  const code = codeOf([...character].map((one) => (one.codePointAt(0) ?? 0).toString(16).padStart(4, '0')).join('-'));
  if (known.has(code)) for (const word of words) addOther(code, nameOf(word));
}

// The table goes out with the server, and the licenses of what it is made from go with it.
const licenses = ['emojibase-data/LICENSE', 'emojilib/LICENSE'].map((path) =>
  readFileSync(load.resolve(path), 'utf8').trim(),
);
// In the order of the sets: clients show the first name of an emoji. Texts, since a table of thousands of properties takes
// milliseconds of each command's start.
const codes = [...table].map((entry) => entry.join(' '));
const further = [...others].map(([code, names]) => [code, ...names].join(' ')).sort();
const toSource = (lines: readonly string[]) => JSON.stringify(lines.join('\n'));
mkdirSync(out, { recursive: true });
writeFileSync(
  new URL('table.ts', out),
  `/*\nGenerated from emojibase-data and emojilib. Do not edit.\n\n${licenses.join('\n\n')}\n*/\n/** Lines of a name and of the code that it means. */\nexport const codesOfNames: string = ${toSource(codes)};\n/** Lines of a code and of further names that the emoji has, which alone may mean another one. */\nexport const furtherNames: string = ${toSource(further)};\n`,
);

function addOther(code: string, name: string): void {
  if (name === '' || name.length > LONGEST_NAME || table.get(name) === code) return;
  const names = others.get(code) ?? new Set();
  others.set(code, names.add(name));
}

/** A name as clients write it, of words such as "smiling face". */
function nameOf(words: string): string {
  return words
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f'’]/g, '')
    .replace(/[^a-z0-9+-]+/g, '_')
    .replace(/^_+|_+$/g, '');
}

/**
 * A code as the API has it (docs/behaviour/emoji.md#codes): the variation selector says how to draw an emoji and not
 * which one it is.
 */
function codeOf(hexcode: string): string {
  return hexcode
    .toLowerCase()
    .split('-')
    .filter((part) => part !== 'fe0f')
    .join('-');
}
