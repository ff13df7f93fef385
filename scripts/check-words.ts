// Fails when a name or a text uses a word that docs/glossary.md has retired, or two exported types have the same name.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFiles, root } from './read-files.ts';
import { report } from './report.ts';
import {
  findRetiredComponents,
  findRetiredNames,
  findRetiredProse,
  findSharedTypeNames,
  withoutCode,
} from './words.ts';

const sources = readFiles('*.ts');
const { components } = JSON.parse(readFileSync(join(root, 'openapi/generated/openapi.json'), 'utf8')) as {
  components: Record<string, object>;
};
const documents = readFiles('openapi/openapi.yaml', 'openapi/features', 'openapi/shared').filter(
  ({ path }) => path.endsWith('.yaml') && !path.endsWith('examples.yaml'),
);

/** The glossary and the changelog name words that are gone. */
const pages = readFiles('*.md', '*.mdx')
  .filter(({ path }) => !['docs/glossary.md', 'CHANGELOG.md'].includes(path))
  .map(({ path, text }) => ({ path, text: withoutCode(text) }));

report('Words', [
  ...findRetiredNames(sources),
  ...findSharedTypeNames(sources),
  ...findRetiredComponents(components),
  ...findRetiredProse([...documents, ...pages]),
]);
