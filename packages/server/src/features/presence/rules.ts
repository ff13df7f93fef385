import { limits } from '../../core/limits.ts';
import type { Presence, PresenceState } from './queries.ts';

/** Seconds between two pings, approximately. */
const APART = limits.server_presence_ping_interval_seconds - 5;
/** Seconds for which another device can still report the user as active. */
const STILL_ACTIVE = limits.server_presence_ping_interval_seconds + 10;
/** Seconds after which clients certainly show a user as offline. */
const OFFLINE = limits.server_presence_offline_threshold_seconds + 5;

/** Whether a ping changes what other users were recently sent. */
export function isChange({ is_shown, presence }: PresenceState, status: Presence['status'], now: Date): boolean {
  if (!is_shown || !presence) return is_shown;
  const age = (at: Date | null) => (at === null ? Number.POSITIVE_INFINITY : (now.getTime() - at.getTime()) / 1000);
  if (status === 'active') return age(presence.last_active_at) >= APART;
  return age(presence.last_connected_at) >= APART && age(presence.last_active_at) >= STILL_ACTIVE;
}

/** The presence of an active or idle user. */
export const toOnlinePresence = (now: Date, status: Presence['status'], before: Presence | undefined): Presence => ({
  status,
  last_active_at: status === 'active' ? now : (before?.last_active_at ?? null),
  last_connected_at: now,
});

/** The presence of a user who no longer shows it: offline at once, but not for longer than they were inactive. */
export function toOfflinePresence(now: Date, before: Presence | undefined): Presence {
  const offline = new Date(now.getTime() - OFFLINE * 1000);
  const last_connected_at = earlier(before?.last_connected_at ?? offline, offline);
  const active = before?.last_active_at ?? null;
  return { status: 'idle', last_active_at: active && earlier(active, last_connected_at), last_connected_at };
}

const earlier = (one: Date, other: Date): Date => (one < other ? one : other);
