import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { globSync } from 'tinyglobby';
import { expect, test } from 'vitest';
import { COPIED_PACKAGES, EXCEPTIONS } from './licenses.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const manifest: { version: string; engines: { node: string }; scripts: Record<string, string> } = JSON.parse(
  read('package.json'),
);

test('CONTRIBUTING fits on a screen', () => {
  expect(read('CONTRIBUTING.md').split('\n').length).toBeLessThanOrEqual(50);
});

test('NOTICE names each package that becomes part of the programs, and each license with further conditions', () => {
  const notice = read('NOTICE');
  expect(COPIED_PACKAGES.filter((name) => !notice.includes(name))).toEqual([]);
  expect(EXCEPTIONS.filter(({ license }) => !notice.includes(license))).toEqual([]);
});

test('SECURITY.md supports the version of package.json', () => {
  const [major, minor] = manifest.version.split('.');
  expect(read('SECURITY.md')).toContain(`| ${major}.${minor}.x and the main branch | yes |`);
});

test('.nvmrc names the oldest Node that package.json allows', () => {
  expect(manifest.engines.node).toMatch(new RegExp(`^>=${read('.nvmrc').trim()}\\.`));
});

test('documents of the repository link to files that exist, and name npm scripts that exist', () => {
  const files = globSync(['*.md', 'docs/**/*.md', 'bench/*.md'], { cwd: root });
  expect(files).toContain('docs/releasing.md');
  const dead = files.flatMap((file) => {
    const text = read(file);
    const links = [...text.matchAll(/\]\((?!https?:|#|\/docs\/)([^)#\s]+)/g)].map(([, link = '']) => link);
    const scripts = [...text.matchAll(/npm run (?:-s )?([a-z:]+)(?! -w|[a-z:]| *\n? +-w)/g)].map(
      ([, name = '']) => name,
    );
    return [
      ...links.filter((link) => !existsSync(join(root, dirname(file), link))),
      ...scripts.filter((name) => !(name in manifest.scripts)),
    ].map((what) => `${file}: ${what}`);
  });
  expect(dead).toEqual([]);
});
