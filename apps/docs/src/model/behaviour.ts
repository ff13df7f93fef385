import { BASE } from './urls.ts';

// Pages of the behaviour reference link to files, so that the links work in the repository, too.
const FILE = /^([a-z-]+)\.md(#.*)?$/;

/** The address of the page for a link to a file of the reference. Other addresses do not change. */
export function toSiteUrl(href: string): string {
  const [, name, fragment = ''] = FILE.exec(href) ?? [];
  if (name === undefined) return href;
  return name === 'index' ? `${BASE}/behaviour/${fragment}` : `${BASE}/behaviour/${name}/${fragment}`;
}
