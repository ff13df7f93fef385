import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { licenseProblems, productionPaths } from './licenses.ts';
import type { Lock } from './lock.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const lock: Lock = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8'));
const problem = (license: string | undefined, name = 'some-package') =>
  licenseProblems([{ path: `node_modules/${name}`, name, license }]);

test.each([
  'MIT',
  'Apache-2.0',
  '(MIT OR GPL-3.0-only)',
  '(MIT AND BSD-3-Clause)',
  'Apache-2.0 WITH LLVM-exception OR MIT',
])('the license %s is allowed', (license) => {
  expect(problem(license)).toEqual([]);
});

test.each([
  'GPL-3.0-only',
  'AGPL-3.0-or-later',
  'MIT AND GPL-2.0-only',
  'LGPL-3.0-or-later',
  'UNLICENSED',
  'SEE LICENSE IN LICENSE.txt',
])('the license %s is a problem', (license) => {
  expect(problem(license)).toEqual([`node_modules/some-package: the license ${license} is not on the list.`]);
});

test('a package without a license is a problem', () => {
  expect(problem(undefined)).toEqual(['node_modules/some-package: no license.']);
});

test('LGPL-3.0-or-later is allowed for libvips, which sharp loads, and for nothing else', () => {
  expect(problem('LGPL-3.0-or-later', '@img/sharp-libvips-linux-x64')).toEqual([]);
  expect(problem('Apache-2.0 AND LGPL-3.0-or-later AND MIT', '@img/sharp-wasm32')).toEqual([]);
  expect(problem('LGPL-3.0-or-later', '@img/colour')).toHaveLength(1);
});

test('a production install has the dependencies of its dependencies, on every platform, and no build tools', () => {
  const paths = productionPaths(lock, ['packages/server', 'packages/client']);
  expect(paths).toEqual(
    expect.arrayContaining([
      'packages/db',
      'node_modules/express',
      'node_modules/openapi-fetch',
      'node_modules/streamsearch',
      'node_modules/@img/sharp-libvips-linuxmusl-arm64',
      'node_modules/@img/sharp-win32-x64',
    ]),
  );
  expect(paths.filter((path) => /\/(astro|vitest|turbo|typescript)$/.test(path))).toEqual([]);
});
