import { collectionLimits, limitNames } from '../core/collection-limits.ts';

/** What the page "Limits" of the documentation says of each limit on a collection. */
export const collectionLimitTable = limitNames.map((name) => ({ name, ...collectionLimits[name] }));
