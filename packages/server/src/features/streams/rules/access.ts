import type { User } from '../../../core/context.ts';
import {
  isAdministrator,
  isFullMember,
  isGuest,
  isModerator,
  type PolicyFacts,
  type RoleHolder,
} from '../../realm/index.ts';

type Looker = Pick<User, 'role'>;
type Poster = RoleHolder & Pick<User, 'is_system_bot'>;
export type Privacy = {
  readonly invite_only: boolean;
  readonly is_web_public: boolean;
  readonly archived_at: Date | null;
};

/** Streams ignore case: two names with one key are the same stream. */
export const streamKey = (name: string): string => name.toLowerCase();

/** Whether a stream's name, description and members are open to someone (behaviour 3.3). */
export function canSeeStream(me: Looker, stream: Privacy, subscribed: boolean): boolean {
  return canReadStreamContent(me, stream, subscribed) || (stream.archived_at === null && isAdministrator(me));
}

/** Whether what is written in a stream is open to someone. Administrators have no exception here (behaviour 3.3). */
export function canReadStreamContent(me: Looker, stream: Privacy, subscribed: boolean): boolean {
  if (stream.archived_at !== null) return false;
  if (stream.is_web_public || subscribed) return true;
  return !stream.invite_only && !isGuest(me);
}

interface Posting {
  readonly me: Poster;
  /** Who answers for `me`, if that is a bot. */
  readonly owner: RoleHolder | undefined;
  readonly stream: Privacy & { readonly name: string; readonly stream_post_policy: number };
  readonly subscribed: boolean;
  readonly owner_subscribed: boolean;
  readonly standing: PolicyFacts;
}

const posters: Record<number, string> = {
  2: 'Only administrators can post to this stream.',
  3: 'Only full members can post to this stream.',
  4: 'Only moderators and administrators can post to this stream.',
};

/** Why someone may not post to a stream, if they may not (behaviour 3.5). A bot passes each step where its owner does. */
export function postingProblem({
  me,
  owner,
  stream,
  subscribed,
  owner_subscribed,
  standing,
}: Posting): string | undefined {
  if (me.is_system_bot) return undefined;
  const passesPolicy = (person: RoleHolder) => canUnderPostPolicy(stream.stream_post_policy, person, standing);
  if (!passesPolicy(me) && !(owner && passesPolicy(owner))) {
    return posters[stream.stream_post_policy] ?? 'Nobody can post to this stream.';
  }
  const reaches =
    canReadStreamContent(me, stream, subscribed) || (owner && canReadStreamContent(owner, stream, owner_subscribed));
  return reaches ? undefined : `Not authorized to post to the stream "${stream.name}".`;
}

function canUnderPostPolicy(policy: number, person: RoleHolder, standing: PolicyFacts): boolean {
  if (isAdministrator(person) || policy === 1) return true;
  if (policy === 3) return isFullMember(person, standing);
  return policy === 4 && isModerator(person);
}
