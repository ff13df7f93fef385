/** A part of docs/glossary.md: a heading and a table. */
export interface GlossarySection {
  readonly title: string;
  readonly slug: string;
  readonly terms: readonly GlossaryTerm[];
}

interface GlossaryTerm {
  readonly term: string;
  readonly meaning: string;
  /** Words not to use for it; empty if there are none. */
  readonly avoid: string;
}

/** The sections of the glossary, in its order. */
export function parseGlossary(text: string): GlossarySection[] {
  return text
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [title = '', ...lines] = part.split('\n');
      const [, ...rows] = lines.filter((line) => line.startsWith('| '));
      return { title, slug: title.toLowerCase().replaceAll(/\W+/g, '-'), terms: rows.map(parseRow) };
    });
}

function parseRow(line: string): GlossaryTerm {
  const [term = '', meaning = '', avoid = ''] = line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
  return { term, meaning, avoid };
}
