import { operations } from './generated/calls.ts';
import type { OperationId } from './types.ts';

/** Where an operation goes, and whether calling it twice does no harm. */
export interface Route {
  readonly method: string;
  readonly path: string;
  readonly isRepeatable: boolean;
  /** Whether the server does it once under an Idempotency-Key. */
  readonly takesKey: boolean;
}

/** The route of each operation. */
export const routes = Object.fromEntries(
  operations.split('\n').flatMap((line) => {
    const [path, ...verbs] = line.split(' ');
    return verbs.map((verb) => {
      // A mark and the method come first, and GET is left out: the table is most of what this module weighs.
      const [id, method = 'GET', mark] = verb.split(':').reverse();
      return [
        id,
        {
          method,
          path: `/${path}`,
          isRepeatable: method === 'GET' || mark === '+',
          takesKey: method !== 'GET' && !mark,
        },
      ];
    });
  }),
) as Record<OperationId, Route>;
