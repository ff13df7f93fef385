// Nothing that the specification says is without a test, and no test that is said to show it is missing.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { isNamed, titlesIn } from './titles.ts';

interface Section {
  readonly section: string;
  readonly title: string;
  readonly statements: readonly { readonly says: string; readonly shown_by: readonly (readonly [string, string])[] }[];
}

const root = new URL('../../../', import.meta.url);
const sections = parse(readFileSync(new URL('docs/statements.yaml', root), 'utf8')) as Section[];
const sources = new Map<string, { readonly text: string; readonly titles: readonly string[] }>();

function sourceOf(file: string) {
  const known = sources.get(file);
  if (known) return known;
  const text = readFileSync(new URL(file, root), 'utf8');
  const source = { text, titles: titlesIn(text) };
  sources.set(file, source);
  return source;
}

const isThere = (file: string, title: string): boolean => {
  const { text, titles } = sourceOf(file);
  return titles.some((one) => isNamed(one, title, text));
};

describe('the statements of the specification', () => {
  test('are those of all its sections, 1 to 9', () => {
    const operations = Array.from({ length: 21 }, (_, n) => `4.${n + 1}`);
    expect(sections.map(({ section }) => section)).toEqual(['1', '2', '3', ...operations, '5', '6', '7', '8', '9']);
    for (const { section, statements } of sections) expect(statements, section).not.toHaveLength(0);
  });

  test.each(sections.map(({ section, statements }) => [section, statements] as const))(
    'in section %s are each shown by tests, which are there',
    (_section, statements) => {
      const missing = statements.flatMap(({ says, shown_by }) =>
        shown_by.filter(([file, title]) => !isThere(file, title)).map(([file, title]) => ({ says, file, title })),
      );
      expect(missing).toEqual([]);
      expect(statements.filter(({ shown_by }) => shown_by.length === 0)).toEqual([]);
      expect(new Set(statements.map(({ says }) => says)).size).toBe(statements.length);
    },
  );

  test('are shown by tests whose names say something: a bare placeholder is filled in', () => {
    const named = sections.flatMap(({ statements }) => statements.flatMap(({ shown_by }) => shown_by));
    const bare = named.filter(
      ([, title]) =>
        !/[a-z]{2}/.test(
          title
            .split(' > ')
            .at(-1)
            ?.replaceAll(/%\w|\$\w+/g, '') ?? '',
        ),
    );
    expect(bare).toEqual([]);
  });
});

describe('the titles of a file', () => {
  const source = `
    describe('soup', () => {
      test('is hot', () => {});
      test.each([['mild', 1]])('is %s for %i', () => {});
      describe.each(rooms)('in the $name', () => test(\`is \${kind}\`, () => {}));
      test.skip('is cold', () => {});
    });
    test.runIf(there)('it is eaten', async () => { await test_the_waters('never'); });`;

  test('are those of the tests that run, under what they are part of', () => {
    expect(titlesIn(source)).toEqual([
      'soup > is hot',
      'soup > is %s for %i',
      'soup > in the $name > is %s',
      'it is eaten',
    ]);
  });

  test.each([
    ['soup > is hot', true],
    ['soup > is warm', false],
    ['soup > is %s for %i', true],
    ['soup > is mild for 1', true],
    ['soup > is bitter for 1', false],
  ])('a test can be named as %s: %s', (named, there) => {
    expect(titlesIn(source).some((title) => isNamed(title, named, source))).toBe(there);
  });
});
