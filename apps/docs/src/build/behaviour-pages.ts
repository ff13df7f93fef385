// The behaviour reference is written in docs/behaviour/ of the repository, where comments and tests link it, and is a part of these pages.
import { readdirSync, readFileSync } from 'node:fs';

/** From the folder of the documentation site. */
export const BEHAVIOUR_FOLDER = '../../docs/behaviour';

/** The id of the page that a file becomes. */
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
