import { limits } from '../../core/limits.ts';
import type { Presence, PresenceState } from './queries.ts';

/** Seconds. Pings come an interval apart, more or less. */
const APART = limits.server_presence_ping_interval_seconds - 5;
/** Seconds for which another device may still say that somebody is active. */
const STILL_ACTIVE = limits.server_presence_ping_interval_seconds + 10;
/** Seconds after which others show somebody as offline for certain. */
const OFFLINE = limits.server_presence_offline_threshold_seconds + 5;

/** Whether a ping says anything that others have not been told lately. */
export function isChange({ is_shown, presence }: PresenceState, status: Presence['status'], now: Date): boolean {
  if (!is_shown || !presence) return is_shown;
  const age = (at: Date | null) => (at === null ? Number.POSITIVE_INFINITY : (now.getTime() - at.getTime()) / 1000);
  if (status === 'active') return age(presence.last_active_at) >= APART;
  return age(presence.last_connected_at) >= APART && age(presence.last_active_at) >= STILL_ACTIVE;
}

/** The presence of somebody who is there. */
export const toOnlinePresence = (now: Date, status: Presence['status'], before: Presence | undefined): Presence => ({
  status,
  last_active_at: status === 'active' ? now : (before?.last_active_at ?? null),
  last_connected_at: now,
});

/** The presence of somebody who is not shown any more: offline at once, though not for longer than they are. */
export function toOfflinePresence(now: Date, before: Presence | undefined): Presence {
  const offline = new Date(now.getTime() - OFFLINE * 1000);
  const last_connected_at = earlier(before?.last_connected_at ?? offline, offline);
  const active = before?.last_active_at ?? null;
  return { status: 'idle', last_active_at: active && earlier(active, last_connected_at), last_connected_at };
}

const earlier = (one: Date, other: Date): Date => (one < other ? one : other);
