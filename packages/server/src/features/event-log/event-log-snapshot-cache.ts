import type { PublicCtx } from '../../core/context.ts';
import type { SnapshotCache, SnapshotKey } from '../../core/snapshot-cache.ts';
import { findSnapshotEventId, listChangesBetween } from './queries/positions.ts';

/** Milliseconds for which a value is cached. */
const LIFETIME = 60_000;
/** Events between two requests beyond which checking what they changed costs more than it saves. */
const FAR = 2000;
/** Maximum bytes cached for one organization, and for all. The oldest values are evicted. */
const ROOM = { realm: 48 * 1024 * 1024, all: 96 * 1024 * 1024 };

interface Snapshot {
  readonly realm_id: number;
  readonly name: string;
  readonly invalidatedBy: readonly string[];
  /** The newest event of the organization when the value was or is computed. */
  readonly at: number;
  readonly made: Promise<{ readonly bytes: number }>;
  bytes: number;
  timer: NodeJS.Timeout | undefined;
}

/** What this process knows of one organization's log, and caches for it. */
interface RealmSnapshots {
  /** The log is known from here … */
  readonly from: number;
  /** … up to here: the newest event of each type in between. */
  to: number;
  readonly newest: Map<string, number>;
  readonly byName: Map<string, Snapshot>;
  bytes: number;
}

/**
 * Caches values that many clients receive alike. A change and its events commit together, and values computed without
 * events leave a gap in the log. So a value computed at event P is current for a reader at event Q, as long as no event
 * between P and Q invalidates it.
 */
export class EventLogSnapshotCache implements SnapshotCache {
  readonly #realms = new Map<number, RealmSnapshots>();
  /** In the order of their computation. */
  readonly #all = new Set<Snapshot>();
  readonly #moments = new WeakMap<object, Promise<number>>();
  #bytes = 0;

  async getOrCompute<T extends { readonly bytes: number }>(
    ctx: Pick<PublicCtx, 'db' | 'realm'>,
    share: SnapshotKey,
    make: () => Promise<T>,
  ): Promise<T> {
    const at = await this.findSnapshot(ctx);
    for (;;) {
      const snapshots = await this.#snapshotsAt(ctx, at);
      const cached = snapshots.byName.get(share.name);
      if (!cached || !isCurrent(snapshots, cached, at)) return this.#make(ctx.realm.id, { share, at, make });
      try {
        return (await cached.made) as T;
      } catch {
        // The request that computed it failed, perhaps for reasons of its own; the entry is gone by now.
      }
    }
  }

  async #make<T extends { readonly bytes: number }>(
    realm_id: number,
    { share, at, make }: { share: SnapshotKey; at: number; make: () => Promise<T> },
  ): Promise<T> {
    const made = make();
    const snapshots = this.#realms.get(realm_id);
    const before = snapshots?.byName.get(share.name);
    // A request with an older snapshot than the cache computes its own value.
    if (!snapshots || at < snapshots.from || (before && before.at >= at)) return made;
    if (before) this.#forget(before);
    const snapshot: Snapshot = { realm_id, ...share, at, made, bytes: 0, timer: undefined };
    this.#realms.set(realm_id, snapshots);
    snapshots.byName.set(share.name, snapshot);
    this.#all.add(snapshot);
    try {
      const { bytes } = await made;
      this.#keep(snapshots, snapshot, bytes);
    } catch {
      this.#forget(snapshot);
    }
    return made;
  }

  #keep(snapshots: RealmSnapshots, snapshot: Snapshot, bytes: number): void {
    if (!this.#all.has(snapshot)) return;
    snapshot.bytes = bytes;
    snapshots.bytes += bytes;
    this.#bytes += bytes;
    snapshot.timer = setTimeout(() => this.#forget(snapshot), LIFETIME).unref();
    for (const old of snapshots.byName.values()) if (snapshots.bytes > ROOM.realm) this.#forget(old);
    for (const old of this.#all) if (this.#bytes > ROOM.all) this.#forget(old);
  }

  #forget(snapshot: Snapshot): void {
    if (!this.#all.delete(snapshot)) return;
    clearTimeout(snapshot.timer);
    this.#bytes -= snapshot.bytes;
    const snapshots = this.#realms.get(snapshot.realm_id);
    if (snapshots?.byName.get(snapshot.name) !== snapshot) return;
    snapshots.byName.delete(snapshot.name);
    snapshots.bytes -= snapshot.bytes;
    if (snapshots.byName.size === 0) this.#realms.delete(snapshot.realm_id);
  }

  /** A transaction has one snapshot, so its event id is looked up once. */
  findSnapshot({ db, realm }: Pick<PublicCtx, 'db' | 'realm'>): Promise<number> {
    const known = this.#moments.get(db) ?? findSnapshotEventId(db, realm.id);
    this.#moments.set(db, known);
    return known;
  }

  rememberSnapshot({ db }: Pick<PublicCtx, 'db'>, last_event_id: number): void {
    this.#moments.set(db, Promise.resolve(last_event_id));
  }

  /** The snapshots of the organization, with the log known at least up to an event. */
  async #snapshotsAt({ db, realm }: Pick<PublicCtx, 'db' | 'realm'>, at: number): Promise<RealmSnapshots> {
    const snapshots = this.#realms.get(realm.id);
    if (!snapshots) return this.#createSnapshots(realm.id, at);
    if (at <= snapshots.to) return snapshots;
    const { to } = snapshots;
    const changes = at - to > FAR ? undefined : await listChangesBetween(db, realm.id, to, at);
    const count = changes?.reduce((sum, change) => sum + change.count, 0);
    if (this.#realms.get(realm.id) !== snapshots) return this.#snapshotsAt({ db, realm }, at);
    if (!changes || count !== at - to) {
      // Events that were swept, or are too many to check, may have changed anything.
      for (const snapshot of snapshots.byName.values()) this.#forget(snapshot);
      return this.#createSnapshots(realm.id, at);
    }
    for (const { type, id } of changes) snapshots.newest.set(type, Math.max(id, snapshots.newest.get(type) ?? 0));
    snapshots.to = Math.max(snapshots.to, at);
    return snapshots;
  }

  #createSnapshots(realm_id: number, at: number): RealmSnapshots {
    const snapshots: RealmSnapshots = { from: at, to: at, newest: new Map(), byName: new Map(), bytes: 0 };
    this.#realms.set(realm_id, snapshots);
    return snapshots;
  }
}

/** Whether a value equals one computed at an event. */
function isCurrent(snapshots: RealmSnapshots, { at: made_at, invalidatedBy }: Snapshot, at: number): boolean {
  const earlier = Math.min(made_at, at);
  return earlier >= snapshots.from && invalidatedBy.every((type) => (snapshots.newest.get(type) ?? 0) <= earlier);
}
