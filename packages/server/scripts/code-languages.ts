// Writes which words mean which language in code blocks. Run by `npm run generate`; what it writes is not committed.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { labels, languages, moreAliases } from '../src/text/code-languages.ts';

const load = createRequire(import.meta.url);
const { getLanguage } = load('highlight.js') as typeof import('highlight.js').default;

const byAlias = new Map<string, readonly [language: string, label: string]>();
for (const language of languages) {
  const { name, aliases = [] } = getLanguage(language) ?? {};
  if (name === undefined) throw new Error(`highlight.js has no language ${language}.`);
  for (const alias of [language, ...aliases, ...(moreAliases[language] ?? [])]) {
    const key = alias.toLowerCase();
    if (!byAlias.has(key)) byAlias.set(key, [language, labels[key] ?? labels[language] ?? name]);
  }
}
for (const [, [language, label]] of [...byAlias]) {
  const key = label.toLowerCase();
  if (!byAlias.has(key)) byAlias.set(key, [language, label]);
}

const out = new URL('../src/text/generated/', import.meta.url);
mkdirSync(out, { recursive: true });
const sorted = Object.fromEntries([...byAlias].sort(([one], [other]) => (one < other ? -1 : 1)));
writeFileSync(
  new URL('languages.ts', out),
  `// Generated from highlight.js. Do not edit.\nexport const languageByAlias: Readonly<Record<string, readonly [language: string, label: string]>> = ${JSON.stringify(sorted)};\n`,
);
