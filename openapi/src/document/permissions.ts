import { requiresCredentials } from './operations.ts';
import type { Document, OperationObject } from './types.ts';

/** Everyone who can call: users by their roles, then callers who are no users of the organization. */
export const callerKinds = [
  'owner',
  'administrator',
  'moderator',
  'full member',
  'new member',
  'guest',
  'bot',
  'deactivated',
  'anonymous',
  'of another organization',
] as const;
export type CallerKind = (typeof callerKinds)[number];

const ERRORS_OF_CREDENTIALS: Partial<Record<CallerKind, string>> = {
  deactivated: 'USER_DEACTIVATED',
  anonymous: 'UNAUTHORIZED',
  'of another organization': 'INVALID_API_KEY',
};

/** The least role that is an administrator's. */
const ADMINISTRATORS: readonly CallerKind[] = ['owner', 'administrator'];

/**
 * The code of the error that a caller gets, whatever the parameters; undefined where the call succeeds. Objects that an operation is
 * about belong to another user, and settings ask for full members: `restricts` of `x-roles` lists whom these keep out.
 */
export function findPermissionError(
  doc: Pick<Document, 'security'>,
  operation: OperationObject,
  caller: CallerKind,
): string | undefined {
  if (!requiresCredentials(doc, operation)) return undefined;
  const { refuses = [], requires, restricts = [] } = operation['x-roles'] ?? {};
  const isExcluded = refuses.includes(caller) || restricts.includes(caller) || (requires === 'bot' && caller !== 'bot');
  if (ERRORS_OF_CREDENTIALS[caller]) return ERRORS_OF_CREDENTIALS[caller];
  if (isExcluded) return 'BAD_REQUEST';
  return requires === 'administrator' && !ADMINISTRATORS.includes(caller) ? 'UNAUTHORIZED_PRINCIPAL' : undefined;
}
