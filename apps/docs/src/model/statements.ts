// The statements of the specification and the tests that verify them, for the page of statements.
export interface Section {
  readonly section: string;
  readonly title: string;
  readonly statements: readonly Statement[];
}

interface Statement {
  /** Its section, and its number there. */
  readonly id: string;
  readonly says: string;
  /** File and title. */
  readonly shown_by: readonly (readonly [string, string])[];
}

/** The number of statements, and of tests that verify them. */
export function counts(sections: readonly Section[]): { statements: number; tests: number } {
  const all = sections.flatMap(({ statements }) => statements);
  const tests = new Set(all.flatMap(({ shown_by }) => shown_by.map((one) => one.join(' > '))));
  return { statements: all.length, tests: tests.size };
}

/** The distinctive part of a file's path: feature and name. */
export const shortName = (file: string): string =>
  file.replace(/^packages\/server\/(src\/(features\/)?)?/, '').replace(/\.test\.ts$/, '');

/** The headings of the page, one for each section. */
export const headingsOf = (sections: readonly Section[]): { depth: number; slug: string; text: string }[] =>
  sections.map(({ section, title }) => ({
    depth: 2,
    slug: `section-${section.replaceAll('.', '-')}`,
    text: `${section} ${title}`,
  }));
