// Comments, tests and documents cite rules of the behaviour reference as `docs/behaviour/<page>.md#<heading>`.
import type { SourceFile } from './source-file.ts';

export const REFERENCE = 'docs/behaviour/';

/** The id of a heading, as GitHub and the documentation site derive it. */
const toId = (heading: string): string => heading.toLowerCase().replaceAll(' ', '-');
const HEADING = /^#{2,6} (.*)$/gm;
const PLAIN = /^[A-Za-z\d]+(?:[ -][A-Za-z\d]+)*$/;

const CITATION = /docs\/behaviour\/([\w-]+\.md)(?:#([\w-]*))?/g;
/** A link from one page of the reference to another, or within one. */
const LINK = /\]\(([\w-]+\.md)?(?:#([\w-]+))?\)/g;
/** A rule cited by the number that it had in another document. */
const NUMBERED = /\bbehaviou?r(?:\.md)?,?\s+(?:section\s+|§\s*)?\d+(?:\.\d+)*/gi;

/** The ids of headings, by page of the reference. */
export type Headings = ReadonlyMap<string, ReadonlySet<string>>;

export const readHeadings = (pages: readonly SourceFile[]): Headings =>
  new Map(pages.map(({ path, text }) => [path.slice(REFERENCE.length), new Set(listHeadings(text).map(toId))]));

const listHeadings = (text: string): string[] => [...text.matchAll(HEADING)].map(([, heading = '']) => heading);

/** Headings whose ids depend on more than their text, and headings that a page has twice. */
export function findUnclearHeadings(pages: readonly SourceFile[]): string[] {
  return pages.flatMap(({ path, text }) => {
    const headings = listHeadings(text);
    const ids = headings.map(toId);
    return [
      ...headings
        .filter((heading) => !PLAIN.test(heading))
        .map((heading) => `${path}: "${heading}" must consist of words, numbers and single spaces or hyphens.`),
      ...ids.filter((id, n) => ids.indexOf(id) !== n).map((id) => `${path}: two headings have the id "${id}".`),
    ];
  });
}

/** Citations of rules, and links between pages, without a target; and rules that are cited by a number. */
export function findDeadCitations(files: readonly SourceFile[], headings: Headings): string[] {
  return files.flatMap(({ path, text }) => {
    const links = path.startsWith(REFERENCE) ? [...text.matchAll(LINK)] : [];
    const cited = [...text.matchAll(CITATION), ...links].filter(
      ([, page = path.slice(REFERENCE.length), id]) => !isThere(headings, page, id),
    );
    return [
      ...cited.map(({ 0: found, index }) => `${path}:${lineOf(text, index)}: there is no such rule: ${found}`),
      ...[...text.matchAll(NUMBERED)].map(
        ({ 0: found, index }) =>
          `${path}:${lineOf(text, index)}: cite a heading of ${REFERENCE} instead of "${found}".`,
      ),
    ];
  });
}

function isThere(headings: Headings, page: string, id: string | undefined): boolean {
  const known = headings.get(page);
  return known !== undefined && (id === undefined || known.has(id));
}

const lineOf = (text: string, index: number): number => text.slice(0, index).split('\n').length;
