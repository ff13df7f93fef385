// Fails when a name or a text uses a word that docs/glossary.md has retired, or two exported types have the same name.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFiles, root } from './read-files.ts';
import { report } from './report.ts';
import { findRetiredComponents, findRetiredNames, findRetiredProse, findSharedTypeNames } from './words.ts';

const sources = readFiles('*.ts');
const { components } = JSON.parse(readFileSync(join(root, 'openapi/generated/openapi.json'), 'utf8')) as {
  components: Record<string, object>;
};
const documents = readFiles('openapi/openapi.yaml', 'openapi/features', 'openapi/shared').filter(
  ({ path }) => path.endsWith('.yaml') && !path.endsWith('examples.yaml'),
);

const rules = readFiles('docs/behaviour/*.md');

report('Words', [
  ...findRetiredNames(sources),
  ...findSharedTypeNames(sources),
  ...findRetiredComponents(components),
  ...findRetiredProse([...documents, ...rules]),
]);
