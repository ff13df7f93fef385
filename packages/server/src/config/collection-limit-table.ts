import { collectionLimits, limitNames } from '../core/collection-limits.ts';

/** The table of limits on collections in the page "Limits" of the documentation. */
export const collectionLimitTable = limitNames.map((name) => ({ name, ...collectionLimits[name] }));
