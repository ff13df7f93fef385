/** Where the server serves these pages. */
export const BASE = '/docs';

export const operationUrl = (operationId: string): string => `${BASE}/reference/${operationId}/`;
export const errorUrl = (code: string): string => `${BASE}/errors/${code}/`;
export const eventUrl = (type: string): string => `${BASE}/events/${type}/`;
