import { createRequire } from 'node:module';
import { lazy } from '../../core/lazy.ts';

const require = createRequire(import.meta.url);

const names = lazy(() => {
  const { zones } = require('tzdata') as { zones: Record<string, unknown> };
  return new Set(Object.keys(zones));
});

/** The identifiers of the IANA time zone database, old names included. */
export const timezones = { has: (name: string): boolean => names().has(name) };
