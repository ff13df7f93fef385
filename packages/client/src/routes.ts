import { operations } from './generated/calls.ts';
import type { OperationId } from './types.ts';

/** Where an operation goes, and whether calling it twice does no harm. */
export interface Route {
  readonly method: string;
  readonly path: string;
  readonly isRepeatable: boolean;
}

/** The route of each operation. */
export const routes = Object.fromEntries(
  operations.split('\n').flatMap((line) => {
    const [path, ...verbs] = line.split(' ');
    return verbs.map((verb) => {
      const [method, id, mark] = verb.split(':');
      return [id, { method, path, isRepeatable: method === 'GET' || mark !== undefined }];
    });
  }),
) as Record<OperationId, Route>;
