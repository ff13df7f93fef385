import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { expect, onTestFinished, test } from 'vitest';
import { optimizeSpreads } from './object-spreads.ts';

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
  const [before, after] = [await load(source), await load(optimizeSpreads(source)?.code ?? '')];
  const from = { a: 'a', b: 'b' };
  for (const [name, create] of Object.entries(before))
    expect(Object.entries(after[name]?.(from) ?? {})).toEqual(Object.entries(create(from)));
  expect(Object.keys(before)).toHaveLength(6);
});

test('objects of such a literal share their hidden class', async () => {
  setFlagsFromString('--allow-natives-syntax');
  const haveSameMap = new Function('a', 'b', 'return %HaveSameMap(a, b)') as (a: object, b: object) => boolean;
  const { added, twice } = await load(optimizeSpreads(source)?.code ?? '');
  for (const create of [added, twice]) {
    const objects = Array.from({ length: 200 }, (_, n) => create?.({ id: n, name: `${n}` }) ?? {});
    const last = objects.at(-1) ?? {};
    expect(objects.slice(100).every((object) => haveSameMap(object, last))).toBe(true);
  }
});

test('only literals that begin with a spread and go on are changed, and only once', () => {
  const { code = '' } = optimizeSpreads(source) ?? {};
  expect(code.match(/\.\.\.null, /g)).toHaveLength(5);
  expect(optimizeSpreads(code)).toBeUndefined();
  expect(optimizeSpreads('export const sum = (...all) => all.length;')).toBeUndefined();
});

test('the source map still names the places in the source', () => {
  // `b`, in column 12, is from line 5, column 3.
  const map = { version: 3, names: [], sources: ['a.ts'], sourcesContent: ['original'], mappings: 'AAAA,YAKG' };
  const { code, map: changed } = optimizeSpreads('x = { ...a, b };', JSON.stringify(map)) ?? { code: '', map: '{}' };
  const found = new SourceMap(JSON.parse(changed)).findEntry(0, code.indexOf('b'));
  expect(found).toMatchObject({ originalSource: 'a.ts', originalLine: 5, originalColumn: 3 });
  expect(JSON.parse(changed).sourcesContent).toEqual(['original']);
});
