import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { expect, onTestFinished, test } from 'vitest';
import { quickenSpreads } from './object-spreads.ts';

async function load(code: string): Promise<Record<string, (from: object) => Record<string, unknown>>> {
  const folder = mkdtempSync(join(tmpdir(), 'spreads-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'made.mjs');
  writeFileSync(file, code);
  return await import(/* @vite-ignore */ pathToFileURL(file).href);
}

const source = `
export const added = (from) => ({ ...from, b: 1 });
export const replaced = (from) => ({ ...from, a: 'other', b: { ...from, c: 2 } });
export const twice = (from) => ({ ...from, ...{ b: 2 } });
export const later = (from) => ({ b: 1, ...from });
export const alone = (from) => ({ ...from });
export const none = () => ({ ...undefined, b: 1 });
`;

test('a literal that begins with a spread has the same value', async () => {
  const [before, after] = [await load(source), await load(quickenSpreads(source)?.code ?? '')];
  const from = { a: 'a', b: 'b' };
  for (const [name, create] of Object.entries(before))
    expect(Object.entries(after[name]?.(from) ?? {})).toEqual(Object.entries(create(from)));
  expect(Object.keys(before)).toHaveLength(6);
});

test('objects of such a literal share their hidden class', async () => {
  setFlagsFromString('--allow-natives-syntax');
  const haveSameMap = new Function('a', 'b', 'return %HaveSameMap(a, b)') as (a: object, b: object) => boolean;
  const { added, twice } = await load(quickenSpreads(source)?.code ?? '');
  for (const create of [added, twice]) {
    const objects = Array.from({ length: 200 }, (_, n) => create?.({ id: n, name: `${n}` }) ?? {});
    const last = objects.at(-1) ?? {};
    expect(objects.slice(100).every((object) => haveSameMap(object, last))).toBe(true);
  }
});

test('only literals that begin with a spread and go on are changed, and only once', () => {
  const { code = '' } = quickenSpreads(source) ?? {};
  expect(code.match(/\.\.\.null, /g)).toHaveLength(5);
  expect(quickenSpreads(code)).toBeUndefined();
  expect(quickenSpreads('export const sum = (...all) => all.length;')).toBeUndefined();
});

test('the source map still names the places in the source', () => {
  const map = { version: 3, names: [], sources: ['a.ts'], sourcesContent: ['original'], mappings: 'AAAA' };
  const { sources, sourcesContent } = JSON.parse(quickenSpreads('x = { ...a, b };', JSON.stringify(map))?.map ?? '{}');
  expect([sources, sourcesContent]).toEqual([['a.ts'], ['original']]);
});
