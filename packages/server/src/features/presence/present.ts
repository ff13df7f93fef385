import type { Event, Schema } from '../../core/contract.ts';
import type { Presence } from './queries.ts';

const CLIENT = 'website';
const seconds = (at: Date): number => Math.floor(at.getTime() / 1000);

export const serverTimestamp = (now: Date): number => now.getTime() / 1000;

export function presentPresence({ status, last_connected_at }: Presence): Schema<'Presence'> {
  const common = { client: CLIENT, status, timestamp: seconds(last_connected_at) };
  return { aggregated: common, website: { ...common, pushable: false } };
}

export const presentSlim = ({ last_active_at, last_connected_at }: Presence): Schema<'SlimPresence'> => ({
  ...(last_active_at && { active_timestamp: seconds(last_active_at) }),
  idle_timestamp: seconds(last_connected_at),
});

interface PresenceUser {
  readonly user_id: number;
  /** The API email address. */
  readonly email: string;
}

/** The present state of a user. */
export function presenceEvent(user: PresenceUser, presence: Presence, now: Date): Event {
  const { website } = presentPresence(presence);
  return { type: 'presence', ...user, server_timestamp: serverTimestamp(now), presence: { website } };
}

/** A user's presence for a client without earlier data: when they were last active, and their state since. */
export function presenceHistory(user: PresenceUser, presence: Presence, now: Date): Event[] {
  const { status, last_active_at } = presence;
  const latest = presenceEvent(user, presence, now);
  if (status === 'active' || last_active_at === null) return [latest];
  const active: Presence = { status: 'active', last_active_at, last_connected_at: last_active_at };
  return [presenceEvent(user, active, now), latest];
}
