/** Where the server serves these pages. */
export const BASE = '/docs';

/** The server that samples name. In a browser it is the one that the page came from. */
export const SERVER = 'http://localhost:8080';

export const REFERENCE_URL = `${BASE}/reference/`;
export const OBJECTS_URL = `${BASE}/objects/`;
export const EVENTS_URL = `${BASE}/events/`;
export const ERRORS_URL = `${BASE}/errors/`;
export const GUIDES_URL = `${BASE}/guides/`;
export const operationUrl = (operationId: string): string => `${BASE}/reference/${operationId}/`;
export const errorUrl = (code: string): string => `${BASE}/errors/${code}/`;
export const eventUrl = (type: string): string => `${BASE}/events/${type}/`;
export const objectUrl = (name: string): string => `${BASE}/objects/${name}/`;

/** The same page as Markdown. */
export function markdownUrl(path: string): string {
  const page = path.replace(/(\/index)?\.html$/, '').replace(/\/$/, '');
  return page === BASE ? `${BASE}/index.md` : `${page}.md`;
}
