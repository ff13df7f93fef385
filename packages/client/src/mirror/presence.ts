import type { Schema } from '../types.ts';
import { type Of, pickPresent, type State } from './state.ts';

type Presences = NonNullable<State['presences']>;

/** Applies a user's presence. Queues with `slim_presence` get no email addresses, and have presences by id. */
export function withPresence(state: State, { user_id, email, server_timestamp, presence }: Of<'presence'>): State {
  const { pushable: _, ...aggregated } = presence.website;
  const known = pickPresent(state, 'presences', (presences) => ({
    ...presences,
    [email ?? user_id]: email ? { aggregated, ...presence } : slimAfter(presences[user_id], aggregated),
  }));
  return pickPresent(known, 'server_timestamp', () => server_timestamp);
}

/** An active user is connected, and was active no later than they were connected. */
function slimAfter(
  before: Presences[string] | undefined,
  { status, timestamp }: Schema<'Presence'>['aggregated'],
): Schema<'SlimPresence'> {
  const known = before && 'idle_timestamp' in before ? before.active_timestamp : undefined;
  const active = status === 'active' ? timestamp : known;
  return {
    ...(active && { active_timestamp: Math.min(active, timestamp) }),
    idle_timestamp: timestamp,
  };
}

export function withoutPresence(state: State, user_id: number, email = ''): State {
  return pickPresent(state, 'presences', ({ [user_id]: _, [email]: __, ...others }) => others);
}

/** Applies a change of a user's API email. */
export function withMovedPresence(state: State, from: string, to: string): State {
  return pickPresent(state, 'presences', ({ [from]: moved, ...others }) =>
    moved ? { [to]: moved, ...others } : others,
  );
}
