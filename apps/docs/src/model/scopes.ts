import type { OperationPage } from './operations.ts';
import type { Site } from './site.ts';

/** The operations that a token with one scope can be used for. */
export interface ScopeGroup {
  scope: string;
  about: string;
  operations: OperationPage[];
}

const SCOPES: readonly (readonly [scope: string, about: string])[] = [
  ['read', 'Operations that only read, and event queues.'],
  ['write', 'Operations that change something.'],
  ['admin', 'Operations of administrators.'],
  ['key', 'Operations that no token can be used for: they need the API key of the account.'],
];

/** The operations of the reference by their `x-scope`, in the order of the sidebar. */
export function listScopeGroups({ groups }: Site): ScopeGroup[] {
  const all = groups.flatMap(({ operations }) => operations);
  return SCOPES.map(([scope, about]) => ({ scope, about, operations: all.filter((one) => one.scope === scope) }));
}
