import type { User } from '../../core/context.ts';
import { isAdministrator, isFullMember, isGuest, isModerator, type Person, type Standing } from '../realm/index.ts';

type Looker = Pick<User, 'role'>;
type Poster = Person & Pick<User, 'is_system_bot'>;
type Privacy = { readonly invite_only: boolean; readonly is_web_public: boolean; readonly archived_at: Date | null };

/** Streams ignore case: two names with one key are the same stream. */
export const streamKey = (name: string): string => name.toLowerCase();

/** Whether a stream's name, description and members are open to someone (behaviour 3.3). */
export function maySeeStream(me: Looker, stream: Privacy, subscribed: boolean): boolean {
  return mayReadStream(me, stream, subscribed) || (stream.archived_at === null && isAdministrator(me));
}

/** Whether what is written in a stream is open to someone. Administrators have no exception here (behaviour 3.3). */
export function mayReadStream(me: Looker, stream: Privacy, subscribed: boolean): boolean {
  if (stream.archived_at !== null) return false;
  if (stream.is_web_public || subscribed) return true;
  return !stream.invite_only && !isGuest(me);
}

interface Posting {
  readonly me: Poster;
  /** Who answers for `me`, if that is a bot. */
  readonly owner: Person | undefined;
  readonly stream: Privacy & { readonly name: string; readonly stream_post_policy: number };
  readonly subscribed: boolean;
  readonly owner_subscribed: boolean;
  readonly standing: Standing;
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
  const passesPolicy = (person: Person) => mayUnderPostPolicy(stream.stream_post_policy, person, standing);
  if (!passesPolicy(me) && !(owner && passesPolicy(owner))) {
    return posters[stream.stream_post_policy] ?? 'Nobody can post to this stream.';
  }
  const reaches = mayReadStream(me, stream, subscribed) || (owner && mayReadStream(owner, stream, owner_subscribed));
  return reaches ? undefined : `Not authorized to post to the stream "${stream.name}".`;
}

function mayUnderPostPolicy(policy: number, person: Person, standing: Standing): boolean {
  if (isAdministrator(person) || policy === 1) return true;
  if (policy === 3) return isFullMember(person, standing);
  return policy === 4 && isModerator(person);
}

/** Which streams `GET /streams` was asked for. */
export interface Sources {
  readonly include_public: boolean;
  readonly include_web_public: boolean;
  readonly include_subscribed: boolean;
  readonly include_all_active: boolean;
  readonly include_default: boolean;
  readonly include_owner_subscribed: boolean;
}

interface Candidate extends Privacy {
  readonly is_default: boolean;
  readonly subscribed: boolean;
  /** Whether the owner of the bot that asks is in it. */
  readonly owner_subscribed: boolean;
}

/** Whether a stream is in one of the sources that were chosen (behaviour 4.3). */
export function isListed(me: Looker, stream: Candidate, sources: Sources): boolean {
  return (
    sources.include_all_active ||
    (sources.include_public && !stream.invite_only && !isGuest(me)) ||
    (sources.include_web_public && stream.is_web_public) ||
    (sources.include_subscribed && stream.subscribed) ||
    (sources.include_default && stream.is_default && maySeeStream(me, stream, stream.subscribed)) ||
    (sources.include_owner_subscribed && stream.owner_subscribed)
  );
}

const WINDOW_DAYS = 28;

/** Messages per week, to two digits; a stream younger than a week has no figure yet (behaviour 4.3). */
export function weeklyTraffic(age_days: number, recent_messages: number): number | null {
  if (age_days < 7) return null;
  const perWeek = Math.floor((recent_messages * 7) / Math.min(age_days, WINDOW_DAYS));
  return twoDigits(recent_messages > 0 ? Math.max(perWeek, 1) : 0);
}

function twoDigits(count: number): number {
  const unit = 10 ** Math.max(String(count).length - 2, 0);
  return Math.round(count / unit) * unit;
}
