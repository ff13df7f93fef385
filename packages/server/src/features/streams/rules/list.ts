import { isGuest } from '../../../access/roles.ts';
import { canSeeStream, type StreamPrivacy } from '../../../access/rules.ts';
import type { User } from '../../../core/context.ts';

/** The streams that `GET /streams` requests. */
export interface StreamSources {
  readonly include_public: boolean;
  readonly include_web_public: boolean;
  readonly include_subscribed: boolean;
  readonly include_all_active: boolean;
  readonly include_default: boolean;
  readonly include_owner_subscribed: boolean;
}

interface Candidate extends StreamPrivacy {
  readonly is_default: boolean;
  readonly subscribed: boolean;
  /** Whether the owner of the calling bot is subscribed to it. */
  readonly owner_subscribed: boolean;
}

/** Whether a stream is in one of the requested sources (docs/behaviour/streams.md#list-streams). */
export function isListed(me: Pick<User, 'role'>, stream: Candidate, sources: StreamSources): boolean {
  return (
    sources.include_all_active ||
    (sources.include_public && !stream.invite_only && !isGuest(me)) ||
    (sources.include_web_public && stream.is_web_public) ||
    (sources.include_subscribed && stream.subscribed) ||
    (sources.include_default && stream.is_default && canSeeStream(me, stream, stream.subscribed)) ||
    (sources.include_owner_subscribed && stream.owner_subscribed)
  );
}

const WINDOW_DAYS = 28;

/**
 * Messages per week, to two digits. A stream younger than a week has no figure yet
 * (docs/behaviour/streams.md#weekly-traffic).
 */
export function countWeeklyTraffic(age_days: number, recent_messages: number): number | null {
  if (age_days < 7) return null;
  const perWeek = Math.floor((recent_messages * 7) / Math.min(age_days, WINDOW_DAYS));
  return twoDigits(recent_messages > 0 ? Math.max(perWeek, 1) : 0);
}

function twoDigits(count: number): number {
  const unit = 10 ** Math.max(String(count).length - 2, 0);
  return Math.round(count / unit) * unit;
}
