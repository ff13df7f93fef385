import { createRequire } from 'node:module';
import { lazy } from '../../core/lazy.ts';

const require = createRequire(import.meta.url);

/** The library for rate limits. Commands of the command line are not counted. */
export const flexible = lazy(() => require('rate-limiter-flexible') as typeof import('rate-limiter-flexible'));
