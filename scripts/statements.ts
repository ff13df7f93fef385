// The statements of the specification (docs/statements.md), and the tests that show them (the comments `// shows:` in
// test files).

import type { SourceFile } from './source-file.ts';
import { findTags } from './statement-tags.ts';

interface ListedStatement {
  /** Its section, and its number in it. */
  readonly id: string;
  readonly says: string;
  /** File and title of each test. */
  readonly shown_by: readonly (readonly [file: string, title: string])[];
}

export interface StatementSection {
  readonly section: string;
  readonly title: string;
  readonly statements: readonly ListedStatement[];
}

const HEADING = /^## (\d+(?:\.\d+)?) (.+)$/;
const STATEMENT = /^- \*\*(\d+(?:\.\d+)+)\*\* (.+)$/;

/** The statements of all sections, each with the tests that have its tag. */
export function readStatements(document: string, tests: readonly SourceFile[]): StatementSection[] {
  const shown = new Map<string, [string, string][]>();
  for (const { path, text } of tests) {
    for (const { statement, title } of findTags(text).tags)
      shown.set(statement, [...(shown.get(statement) ?? []), [path, title]]);
  }
  return parseSections(document).map(({ statements, ...section }) => ({
    ...section,
    statements: statements.map((one) => ({ ...one, shown_by: shown.get(one.id) ?? [] })),
  }));
}

type Parsed = Omit<StatementSection, 'statements'> & { statements: Omit<ListedStatement, 'shown_by'>[] };

function parseSections(document: string): Parsed[] {
  const sections: Parsed[] = [];
  for (const line of document.split('\n')) {
    const [, section, title = ''] = HEADING.exec(line) ?? [];
    if (section !== undefined) sections.push({ section, title, statements: [] });
    const [, id = '', says = ''] = STATEMENT.exec(line) ?? [];
    if (id !== '') sections.at(-1)?.statements.push({ id, says });
  }
  return sections;
}

/** Statements without a test, tags without a statement, and tags without a test. */
export function findStatementProblems(document: string, tests: readonly SourceFile[]): string[] {
  const sections = readStatements(document, tests);
  const known = new Set(sections.flatMap(({ statements }) => statements.map(({ id }) => id)));
  const tags = tests.flatMap(({ path, text }) => findTags(text).tags.map((tag) => ({ path, ...tag })));
  return [
    ...findListProblems(document, sections),
    ...sections.flatMap(({ statements }) =>
      statements.filter(({ shown_by }) => shown_by.length === 0).map(({ id }) => `No test shows the statement ${id}.`),
    ),
    ...tags
      .filter(({ statement }) => !known.has(statement))
      .map(({ path, statement, title }) => `${path}: "${title}" shows ${statement}, which is no statement.`),
    ...tests.flatMap(({ path, text }) => findTags(text).problems.map((problem) => `${path}: ${problem}`)),
  ];
}

/** The numbers of a section ascend, so that each names one statement; a section has each statement once. */
function findListProblems(document: string, sections: readonly StatementSection[]): string[] {
  const read = sections.flatMap(({ statements }) => statements);
  const listed = document.split('\n').filter((line) => line.startsWith('- '));
  return [
    ...(listed.length === read.length ? [] : ['A line of the list does not have the form "- **4.1.3** It is so.".']),
    ...sections.flatMap(({ section, statements }) =>
      statements
        .filter(({ id }, n) => !follows(id, section, statements[n - 1]?.id))
        .map(({ id }) => `${id} is not the next number of section ${section}.`),
    ),
    ...sections.flatMap(({ section, statements }) => {
      const texts = statements.map(({ says }) => says);
      const twice = texts.filter((says, n) => texts.indexOf(says) !== n);
      return twice.map((says) => `"${says}" is in section ${section} twice.`);
    }),
  ];
}

function follows(id: string, section: string, before: string | undefined): boolean {
  const numberOf = (one: string) => Number(one.slice(section.length + 1));
  if (!id.startsWith(`${section}.`) || !Number.isInteger(numberOf(id))) return false;
  return before === undefined || numberOf(id) > numberOf(before);
}
