// What the repository keeps beside the document, as it is when the pages are built.
import { parse } from 'yaml';

import glossaryText from '../../../docs/glossary.md?raw';
import source from '../../../docs/statements.yaml?raw';
import type { Benchmarks } from './model/benchmarks.ts';
import { parseGlossary } from './model/glossary.ts';
import type { Section } from './model/statements.ts';

export {
  collectionLimitTable as collectionLimits,
  requestLimitTable as requestLimits,
  variableTable as variables,
} from '../../../packages/server/src/config/index.ts';

export const sections = parse(source) as Section[];
export const glossary = parseGlossary(glossaryText);

// Before the first whole run of the benchmarks there is nothing to show, and the page says so.
const kept = import.meta.glob<Benchmarks>('../../../bench/results/latest.json', { eager: true, import: 'default' });
const drawn = import.meta.glob<string>('../../../bench/results/latest.svg', {
  eager: true,
  query: '?raw',
  import: 'default',
});
export const results = Object.values(kept)[0];
export const picture = Object.values(drawn)[0];
