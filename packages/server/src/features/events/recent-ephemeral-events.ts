// Ephemeral events of the last moments, for clients that are between two polls. Each process keeps its own copy, in memory.

import { limits } from '../../core/limits.ts';
import type { EphemeralEvent } from '../../core/polls.ts';
import type { StoredEvent } from '../event-log/index.ts';

/** Milliseconds for which an ephemeral event is delivered: the time for which clients show a typing notification. */
export const EPHEMERAL_LIFETIME = limits.server_typing_started_expiry_period_milliseconds;

// Maximum bytes of JSON of one event, of one organization and of all. The oldest events are evicted.
const ROOM = { event: 256 * 1024, realm: 1024 * 1024, all: 8 * 1024 * 1024 };

/** An event whose id is its order of arrival at this process instead of an id of the log. */
interface RecentEvent extends StoredEvent {
  readonly at: number;
}

interface RecentEvents {
  readonly events: RecentEvent[];
  size: number;
}

export class RecentEphemeralEvents {
  readonly #realms = new Map<number, RecentEvents>();
  #size = 0;
  #newest = 0;

  /** The number of the newest event of any organization. */
  get newest(): number {
    return this.#newest;
  }

  /** Stores an event, unless it is larger than any client would send. */
  add({ realm_id, event, audience, at }: EphemeralEvent): boolean {
    const bytes = Buffer.byteLength(JSON.stringify({ event, audience }));
    if (bytes > ROOM.event) return false;
    const recent = this.#realms.get(realm_id) ?? { events: [], size: 0 };
    this.#realms.set(realm_id, recent);
    recent.events.push({ id: ++this.#newest, payload: event, audience, at: at.getTime(), bytes });
    recent.size += bytes;
    this.#size += bytes;
    while (recent.size > ROOM.realm) this.#dropOldest(recent);
    for (const [id, other] of this.#realms) {
      if (this.#size <= ROOM.all) break;
      while (this.#size > ROOM.all && other.events.length > 0) this.#dropOldest(other);
      if (other.events.length === 0) this.#realms.delete(id);
    }
    return true;
  }

  /** The events of an organization after a number that have not expired. */
  after(realm_id: number, number: number, now: number): StoredEvent[] {
    return (this.#realms.get(realm_id)?.events ?? []).filter(
      ({ id, at }) => id > number && at > now - EPHEMERAL_LIFETIME,
    );
  }

  /** A number after which come all events that were sent after `time`. */
  numberAt(realm_id: number, time: number): number {
    const next = this.#realms.get(realm_id)?.events.find(({ at }) => at > time);
    return next ? next.id - 1 : this.#newest;
  }

  /** Deletes expired events. */
  sweep(now: number): void {
    for (const [realm_id, recent] of this.#realms) {
      while (recent.events[0] && recent.events[0].at <= now - EPHEMERAL_LIFETIME) this.#dropOldest(recent);
      if (recent.events.length === 0) this.#realms.delete(realm_id);
    }
  }

  #dropOldest(recent: RecentEvents): void {
    const bytes = recent.events.shift()?.bytes ?? 0;
    recent.size -= bytes;
    this.#size -= bytes;
  }
}
