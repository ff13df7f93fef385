import { isAdministrator, isModerator } from '../../../access/roles.ts';
import { canAccessStream, type StreamPrivacy } from '../../../access/rules.ts';
import type { User } from '../../../core/context.ts';
import { isFullMember, type PolicyFacts, type RoleHolder } from '../../realm/index.ts';

type Poster = RoleHolder & Pick<User, 'is_system_bot'>;

/** Stream names ignore case: two names with the same key are the same stream. */
export const streamKey = (name: string): string => name.toLowerCase();

interface Posting {
  readonly me: Poster;
  /** The owner of `me`, if that is a bot. */
  readonly owner: RoleHolder | undefined;
  readonly stream: StreamPrivacy & { readonly name: string; readonly stream_post_policy: number };
  readonly subscribed: boolean;
  readonly owner_subscribed: boolean;
  readonly policy_facts: PolicyFacts;
}

const posters: Record<number, string> = {
  2: 'Only administrators can post to this stream.',
  3: 'Only full members can post to this stream.',
  4: 'Only moderators and administrators can post to this stream.',
};

/**
 * The reason why a user cannot post to a stream, if there is one (docs/behaviour/streams.md#who-can-post). A bot passes
 * each check that its owner passes.
 */
export function postingProblem({
  me,
  owner,
  stream,
  subscribed,
  owner_subscribed,
  policy_facts,
}: Posting): string | undefined {
  if (me.is_system_bot) return undefined;
  const passesPolicy = (user: RoleHolder) => canUnderPostPolicy(stream.stream_post_policy, user, policy_facts);
  if (!passesPolicy(me) && !(owner && passesPolicy(owner))) {
    return posters[stream.stream_post_policy] ?? 'No user can post to this stream.';
  }
  const reaches =
    canAccessStream(me, stream, subscribed) || (owner && canAccessStream(owner, stream, owner_subscribed));
  return reaches ? undefined : `Not authorized to post to the stream "${stream.name}".`;
}

function canUnderPostPolicy(policy: number, user: RoleHolder, policy_facts: PolicyFacts): boolean {
  if (isAdministrator(user) || policy === 1) return true;
  if (policy === 3) return isFullMember(user, policy_facts);
  return policy === 4 && isModerator(user);
}
