import { type HasRole, isAdministrator, isGuest, isMember, isModerator, isOwner } from '../../access/roles.ts';

export interface RoleHolder extends HasRole {
  readonly date_joined: Date;
}

/** The facts besides the user that decide about permissions by role. */
export interface PolicyFacts {
  /** Days after which a member is a full member. */
  readonly waiting_period_threshold: number;
  readonly now: Date;
}

const DAY = 86_400_000;

/**
 * Whether the user is a moderator or above, or a member whose account is old enough in whole days
 * (docs/behaviour/roles.md#roles).
 */
export function isFullMember(user: RoleHolder, { waiting_period_threshold, now }: PolicyFacts): boolean {
  if (isModerator(user)) return true;
  const days = Math.floor((now.getTime() - user.date_joined.getTime()) / DAY);
  return isMember(user) && days >= waiting_period_threshold;
}

/**
 * Whether a policy permits a user (docs/behaviour/roles.md#policies): 1 members, 2 administrators, 3 full members, 4
 * moderators, 5 everyone, 6 nobody, 7 owners.
 */
export function canUnderPolicy(policy: number, user: RoleHolder, facts: PolicyFacts): boolean {
  switch (policy) {
    case 1:
      return !isGuest(user);
    case 2:
      return isAdministrator(user);
    case 3:
      return isFullMember(user, facts);
    case 4:
      return isModerator(user);
    case 5:
      return true;
    case 7:
      return isOwner(user);
    default:
      return false;
  }
}

/**
 * Whether `wildcard_mention_policy`, which has numbers of its own, lets a user mention everyone
 * (docs/behaviour/roles.md#wildcard-mention-policy).
 */
export function canMentionEveryone(policy: number, user: RoleHolder, facts: PolicyFacts): boolean {
  const general: Record<number, number> = { 1: 5, 2: 1, 3: 3, 5: 2, 7: 4 };
  return canUnderPolicy(general[policy] ?? 6, user, facts);
}
