// Files of the repository besides the document, at the time of the build.

import statements from '../../../docs/generated/statements.json' with { type: 'json' };
import glossaryText from '../../../docs/glossary.md?raw';
import tables from '../../../packages/server/generated/reference-tables.json' with { type: 'json' };
import type { Benchmarks } from './model/benchmarks.ts';
import { parseGlossary } from './model/glossary.ts';
import type { ReferenceTables } from './model/reference-tables.ts';
import type { Section } from './model/statements.ts';

export const { collectionLimits, requestLimits, variables } = tables as ReferenceTables;
export const sections = statements as unknown as readonly Section[];
export const glossary = parseGlossary(glossaryText);

// Before the first complete run of the benchmarks there are no results, and the page says so.
const resultFiles = import.meta.glob<Benchmarks>('../../../bench/results/latest.json', {
  eager: true,
  import: 'default',
});
const drawn = import.meta.glob<string>('../../../bench/results/latest.svg', {
  eager: true,
  query: '?raw',
  import: 'default',
});
export const results = Object.values(resultFiles)[0];
export const picture = Object.values(drawn)[0];
