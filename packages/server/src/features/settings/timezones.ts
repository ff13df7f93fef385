import { createRequire } from 'node:module';

const { zones } = createRequire(import.meta.url)('tzdata') as { zones: Record<string, unknown> };

/** The identifiers of the IANA time zone database, old names included. */
export const timezones: ReadonlySet<string> = new Set(Object.keys(zones));
