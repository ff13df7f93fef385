import { BASE } from './urls.ts';

// Pages of the behaviour reference link one another as files, so that their links work in the repository, too.
const FILE = /^([a-z-]+)\.md(#.*)?$/;

/** The address of the page that a link between files of the reference means; other addresses stay. */
export function toSiteUrl(href: string): string {
  const [, name, fragment = ''] = FILE.exec(href) ?? [];
  if (name === undefined) return href;
  return name === 'index' ? `${BASE}/behaviour/${fragment}` : `${BASE}/behaviour/${name}/${fragment}`;
}
