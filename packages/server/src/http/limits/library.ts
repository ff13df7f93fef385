import { createRequire } from 'node:module';
import { lazy } from '../../core/lazy.ts';

const require = createRequire(import.meta.url);

/** The library that counts. Commands of the command line count nothing. */
export const flexible = lazy(() => require('rate-limiter-flexible') as typeof import('rate-limiter-flexible'));
