// The properties of the published package: its size, that it runs without Node, and documented functions.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { routes } from '@parley/client';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const client = fileURLToPath(new URL('../../../client/', import.meta.url));

/** Bundles a module for browsers: modules of Node cannot be resolved there. */
async function bundled(module: string): Promise<Uint8Array> {
  const { outputFiles } = await build({
    stdin: { contents: module, resolveDir: `${client}src`, loader: 'ts' },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  });
  return outputFiles[0]?.contents ?? new Uint8Array();
}
const zipped = async (module: string): Promise<number> => gzipSync(await bundled(module), { level: 9 }).length;

test('a client with every operation, retries and events is at most 6 KB, compressed', async () => {
  expect(await zipped("export { createClient, ParleyError, TransportError } from './index.ts'")).toBeLessThanOrEqual(
    6144,
  );
});

test('all exports are at most 10 KB, compressed', async () => {
  expect(await zipped("export * from './index.ts'")).toBeLessThanOrEqual(10_240);
});

test('requests by path are an entry of their own, and programs without it do not contain its library', async () => {
  expect(await zipped("export { createRawClient } from './raw.ts'")).toBeLessThanOrEqual(3072);
  expect(await zipped("export { createClient } from './index.ts'")).toBeLessThanOrEqual(4608);
});

test('files are an entry of their own, and each of its functions can be bundled without the other', async () => {
  expect(await zipped("export * from './files/index.ts'")).toBeLessThanOrEqual(1536);
  expect(await zipped("export { fileUrl } from './files/index.ts'")).toBeLessThanOrEqual(640);
  expect(await zipped("export { escapeMarkdown } from './index.ts'")).toBeLessThanOrEqual(320);
});

test('exports that are not imported are not bundled', async () => {
  const encoder = await zipped("export { encodeForm } from './index.ts'");
  expect(encoder).toBeLessThan(300);
});

test('every function documents its parameters, its errors, its first version and a link', () => {
  const calls = readFileSync(`${client}src/generated/calls.ts`, 'utf8');
  for (const id of Object.keys(routes)) {
    const [, comment] = new RegExp(`/\\*\\*((?:(?!\\*/)[^])*)\\*/\\n  ${id}\\(`).exec(calls) ?? [];
    expect(comment, id).toMatch(/@throws \{ParleyError\} `[A-Z]/);
    expect(comment, id).toMatch(/@since Feature level \d+\./);
    expect(comment, id).toContain(`@see \`/docs/reference/${id}/\` on your server`);
  }
  expect(calls).toContain('@param params.propagate_mode - Optional. ');
});
