// Fails when a name or a text uses a word that docs/glossary.md has retired, or two exported types have the same name.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { report } from './report.ts';
import {
  findRetiredComponents,
  findRetiredNames,
  findRetiredProse,
  findSharedTypeNames,
  type SourceFile,
} from './words.ts';

const root = fileURLToPath(new URL('../', import.meta.url));

/** The files that git knows of, or will know, and that match. */
function readFiles(...patterns: string[]): SourceFile[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns];
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '' && existsSync(join(root, path)))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

const sources = readFiles('*.ts');
const { components } = JSON.parse(readFileSync(join(root, 'openapi/generated/openapi.json'), 'utf8')) as {
  components: Record<string, object>;
};
const documents = readFiles('openapi/openapi.yaml', 'openapi/features', 'openapi/shared').filter(
  ({ path }) => path.endsWith('.yaml') && !path.endsWith('examples.yaml'),
);

report('Words', [
  ...findRetiredNames(sources),
  ...findSharedTypeNames(sources),
  ...findRetiredComponents(components),
  ...findRetiredProse(documents),
]);
