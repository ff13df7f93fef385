import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

interface Sbom {
  readonly bomFormat: string;
  readonly components: readonly { readonly name: string; readonly version: string; readonly purl: string }[];
}

test('npm run sbom prints a CycloneDX document of what the server installs, without build tools', () => {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const text = execFileSync('npm', ['run', '--silent', 'sbom'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const { bomFormat, components }: Sbom = JSON.parse(text);
  expect(bomFormat).toBe('CycloneDX');
  const express = components.find(({ name }) => name === 'express');
  expect(express?.purl).toBe(`pkg:npm/express@${express?.version}`);
  const names = components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['sharp', 'pg', '@electric-sql/pglite']));
  expect(names.filter((name) => ['vitest', 'astro', 'turbo', 'typescript'].includes(name))).toEqual([]);
});
