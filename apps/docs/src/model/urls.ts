/** Where the server serves these pages. */
export const BASE = '/docs';

export const REFERENCE_URL = `${BASE}/reference/`;
export const operationUrl = (operationId: string): string => `${BASE}/reference/${operationId}/`;
export const errorUrl = (code: string): string => `${BASE}/errors/${code}/`;
export const eventUrl = (type: string): string => `${BASE}/events/${type}/`;
export const objectUrl = (name: string): string => `${BASE}/objects/${name}/`;

/** The same page as Markdown. */
export function twinOf(path: string): string {
  const page = path.replace(/(\/index)?\.html$/, '').replace(/\/$/, '');
  return page === BASE ? `${BASE}/index.md` : `${page}.md`;
}
