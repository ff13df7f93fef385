import { isAdministrator, isGuest, isModerator, isOwner, ROLE } from '../../access/roles.ts';
import type { User } from '../../core/context.ts';
import { codePoints, fullNameProblem } from '../../text/names.ts';

export type Role = (typeof ROLE)[keyof typeof ROLE];
type Ranked = Pick<User, 'role'>;

/** An account that is about to be changed, locked against other changes. */
export interface LockedAccount {
  readonly user: User;
  /** The user who changes it; undefined for the operator. */
  readonly actor: User | undefined;
  /** The active human owners of the organization. */
  readonly owner_ids: readonly number[];
}

/** Whether the organization would have no owner left without this account. */
export const isLastOwner = ({ user, owner_ids }: Pick<LockedAccount, 'user' | 'owner_ids'>): boolean =>
  owner_ids.length === 1 && owner_ids[0] === user.id;

/**
 * Whether only an owner can make this change: the account is an owner's, or becomes one's
 * (docs/behaviour/users.md#change-a-user).
 */
export const requiresOwner = (user: Ranked, role?: Role): boolean => isOwner(user) || role === ROLE.owner;

/** Whether a user may rename a bot because they own it. */
export const canRename = (actor: Pick<User, 'id'>, user: Pick<User, 'bot_type' | 'bot_owner_id'>): boolean =>
  user.bot_type !== null && user.bot_owner_id === actor.id;

/**
 * Whether users of the two roles see different things. `each_rank`: something that they see depends on more than being
 * a guest or an administrator.
 */
export function changesVisibility(before: Ranked, after: Ranked, each_rank: boolean): boolean {
  const differs = (is: (user: Ranked) => boolean) => is(before) !== is(after);
  if (differs(isGuest) || differs(isAdministrator)) return true;
  return each_rank && (differs(isModerator) || differs(isOwner));
}

/** The problem of a subdomain, if there is one. The empty one is the root organization. */
export function subdomainProblem(subdomain: string): string | undefined {
  if (subdomain === '') return undefined;
  if (subdomain.length > 40) return 'A subdomain can have at most 40 characters.';
  if (!/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(subdomain)) {
    return 'A subdomain consists of lower-case letters, digits and hyphens, and begins and ends with a letter or digit.';
  }
  return undefined;
}

/** The problem of an organization's name, if there is one (docs/behaviour/limits.md#lengths). */
export function realmNameProblem(name: string): string | undefined {
  if (name.trim() === '') return 'The name of an organization cannot be empty.';
  return codePoints(name.trim()) > 40 ? 'The name of an organization can have at most 40 characters.' : undefined;
}

// One @, text on both sides, no white space or control characters. The confirmation email verifies the rest.
const EMAIL = /^[^\s@\p{Cc}:,;<>"()[\]\\]{1,64}@[^\s@\p{Cc}:,;<>"()[\]\\]{1,255}$/u;

export function emailProblem(email: string): string | undefined {
  return EMAIL.test(email) ? undefined : `email: ${JSON.stringify(email)} is not an email address.`;
}

export function nameProblem(name: string): string | undefined {
  const problem = fullNameProblem(name);
  return problem === undefined ? undefined : `full_name: ${problem}`;
}
