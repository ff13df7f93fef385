import { operationsByPath, repeatable } from './generated/calls.ts';
import type { OperationId } from './types.ts';

/** Where an operation goes, and whether calling it twice does no harm. */
export interface Route {
  readonly method: string;
  readonly path: string;
  readonly isRepeatable: boolean;
}

/** The route of each operation. */
export const routes = Object.fromEntries(
  Object.entries(operationsByPath).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([method, id]) => [
      id,
      { method, path, isRepeatable: method === 'GET' || repeatable.includes(id) },
    ]),
  ),
) as Record<OperationId, Route>;
