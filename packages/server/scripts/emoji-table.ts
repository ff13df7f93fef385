// Writes the table of Unicode emoji names that the server ships. Run by `npm run generate`; what it writes is not committed.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { ownNames } from '../src/features/emoji/own-names.ts';

const load = createRequire(import.meta.url);
const out = new URL('../src/features/emoji/generated/', import.meta.url);

interface Emoji {
  hexcode: string;
  group?: number;
}

/** Where several sets give one name to different emoji, the earlier set has it. */
const sets = ['github', 'iamcal', 'emojibase', 'joypixels', 'cldr'];
/** Skin tones and hair are parts of other emoji. */
const COMPONENTS = 2;

const emoji = (load('emojibase-data/en/data.json') as Emoji[]).filter(({ group }) => group !== COMPONENTS);
const table = new Map<string, string>(Object.entries(ownNames));
for (const set of sets) {
  const names = load(`emojibase-data/en/shortcodes/${set}.json`) as Record<string, string | string[]>;
  for (const { hexcode } of emoji) {
    for (const name of [names[hexcode] ?? []].flat()) if (!table.has(name)) table.set(name, codeOf(hexcode));
  }
}

// The table goes out with the server, and the licence of what it is made from goes with it.
const licence = readFileSync(load.resolve('emojibase-data/LICENSE'), 'utf8').trim();
const sorted = Object.fromEntries([...table].sort(([one], [other]) => (one < other ? -1 : 1)));
mkdirSync(out, { recursive: true });
writeFileSync(
  new URL('table.ts', out),
  `/*\nGenerated from emojibase-data. Do not edit.\n\n${licence}\n*/\nexport const codeByName: Readonly<Record<string, string>> = ${JSON.stringify(sorted, null, 1)};\n`,
);

/** A code as the API has it (behaviour 2.4): the variation selector says how to draw an emoji and not which one it is. */
function codeOf(hexcode: string): string {
  return hexcode
    .toLowerCase()
    .split('-')
    .filter((part) => part !== 'fe0f')
    .join('-');
}
