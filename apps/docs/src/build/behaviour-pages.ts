// The behaviour reference is in docs/behaviour/ of the repository, where comments and tests cite it. The site has a page for
// each of its files.
import { readdirSync, readFileSync } from 'node:fs';

/** Relative to the folder of the documentation site. */
export const BEHAVIOUR_FOLDER = '../../docs/behaviour';

/** The id of the page of a file. */
export const toPageId = (file: string): string =>
  file === 'index.md' ? 'behaviour' : `behaviour/${file.replace(/\.md$/, '')}`;

/** The ids of all pages of the reference, its first page first, then by title. */
export function listBehaviourPages(): string[] {
  const folder = new URL('../../../../docs/behaviour/', import.meta.url);
  const files = readdirSync(folder).filter((file) => file.endsWith('.md') && file !== 'index.md');
  const titled = files.map((file) => ({ file, title: titleOf(readFileSync(new URL(file, folder), 'utf8')) }));
  titled.sort((one, other) => one.title.localeCompare(other.title, 'en'));
  return ['index.md', ...titled.map(({ file }) => file)].map(toPageId);
}

const titleOf = (text: string): string => /^title: (.*)$/m.exec(text)?.[1] ?? '';
