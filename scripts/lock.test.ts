import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { globSync } from 'tinyglobby';
import { expect, test } from 'vitest';
import { type Lock, lockProblems, manifestProblems } from './lock.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const lock: Lock = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8'));
const without = (path: string): Lock => ({
  packages: Object.fromEntries(Object.entries(lock.packages).filter(([key]) => key !== path)),
});

test('the lock of the repository has every optional dependency, platform build, integrity and address', () => {
  expect(lockProblems(lock)).toEqual([]);
});

test.each([
  ['@biomejs/biome', '@biomejs/cli-linux-arm64-musl', 'linux arm64 musl'],
  ['@node-rs/argon2', '@node-rs/argon2-linux-x64-musl', 'linux x64 musl'],
  ['sharp', '@img/sharp-win32-x64', 'win32 x64'],
  ['turbo', '@turbo/darwin-arm64', 'darwin arm64'],
  ['lightningcss', 'lightningcss-linux-x64-gnu', 'linux x64 glibc'],
])('a lock without a platform build of %s is a problem', (name, build, platform) => {
  expect(lock.packages[`node_modules/${build}`]).toBeDefined();
  expect(lockProblems(without(`node_modules/${build}`))).toEqual([
    `node_modules/${name} lists the optional dependency ${build}, which is not in the lock.`,
    `node_modules/${name} has no build for ${platform} in the lock.`,
  ]);
});

test('an optional dependency that is no platform build must be in the lock as well', () => {
  expect(lockProblems(without('node_modules/fsevents')).join()).toContain('the optional dependency fsevents');
});

test('a package without integrity is a problem', () => {
  const { integrity, ...express } = lock.packages['node_modules/express'] ?? {};
  expect(integrity).toMatch(/^sha512-/);
  const changed = { packages: { ...lock.packages, 'node_modules/express': express } };
  expect(lockProblems(changed)).toEqual(['node_modules/express has no integrity in the lock.']);
});

test.each([[undefined], ['https://mirror.example/express/-/express-5.1.0.tgz']])(
  'a package with the address %s is a problem',
  (resolved) => {
    const { resolved: address, ...express } = lock.packages['node_modules/express'] ?? {};
    expect(address).toMatch(/^https:\/\/registry\.npmjs\.org\/express\//);
    const changed = {
      packages: { ...lock.packages, 'node_modules/express': { ...express, ...(resolved && { resolved }) } },
    };
    expect(lockProblems(changed)).toEqual([
      'node_modules/express has no address at https://registry.npmjs.org/ in the lock.',
    ]);
  },
);

test('a version in package.json that the lock does not have is a problem', () => {
  const { dependencies } = lock.packages['packages/server'] ?? {};
  const changed = { dependencies: { ...dependencies, express: '5.4.0' } };
  expect(manifestProblems(lock, 'packages/server', { ...lock.packages['packages/server'], ...changed })).toEqual([
    expect.stringContaining('packages/server/package.json: "express" is 5.4.0 there'),
  ]);
  const removed = without('node_modules/express');
  expect(manifestProblems(removed, 'packages/server', lock.packages['packages/server'] ?? {})).toEqual([
    'packages/server/package.json: the lock has no version of "express".',
  ]);
});

test('no script installs without the lock', () => {
  const files = globSync(['**/*.{sh,mjs,js,cjs,ts,yml,yaml,md,mdx}', '**/package.json', '.ci/*', '**/Dockerfile*'], {
    cwd: root,
    ignore: ['**/node_modules/**', '**/dist/**', '**/generated/**', 'scripts/lock.test.ts'],
    dot: true,
  });
  expect(files).toContain('packages/server/scripts/newer-node.sh');
  expect(files.filter((file) => readFileSync(root + file, 'utf8').includes('--no-save'))).toEqual([]);
});
