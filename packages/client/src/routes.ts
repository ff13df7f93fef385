import { operations } from './generated/calls.ts';
import type { OperationId } from './types.ts';

/** The method and path of an operation, and whether a repetition is harmless. */
export interface Route {
  readonly method: string;
  readonly path: string;
  readonly isRepeatable: boolean;
  /** Whether the server carries it out once for an Idempotency-Key. */
  readonly takesKey: boolean;
}

/** The route of each operation. */
export const routes = Object.fromEntries(
  operations.split('\n').flatMap((line) => {
    const [path, ...verbs] = line.split(' ');
    return verbs.map((verb) => {
      // Each entry begins with a mark and the method; GET is omitted: the table is most of this module's size.
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
