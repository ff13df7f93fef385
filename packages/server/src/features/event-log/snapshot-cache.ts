import type { PublicCtx } from '../../core/context.ts';
import type { SnapshotCache, SnapshotKey } from '../../core/snapshot-cache.ts';
import { findSnapshotEventId, listChangesBetween } from './queries/positions.ts';

/** Milliseconds for which a value is cached. */
const KEPT = 60_000;
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
  readonly kept: Map<string, Snapshot>;
  bytes: number;
}

/**
 * Caches values that many clients receive alike. A change and its events commit together, and values computed without
 * events leave a gap in the log. So a value computed at event P is current for a reader at event Q, as long as no event
 * between P and Q invalidates it.
 */
export class EventLogSnapshotCache implements SnapshotCache {
  readonly #shelves = new Map<number, RealmSnapshots>();
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
      const shelf = await this.#shelfAt(ctx, at);
      const kept = shelf.kept.get(share.name);
      if (!kept || !isCurrent(shelf, kept, at)) return this.#make(ctx.realm.id, { share, at, make });
      try {
        return (await kept.made) as T;
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
    const shelf = this.#shelves.get(realm_id);
    const before = shelf?.kept.get(share.name);
    // A request with an older snapshot than the cache computes its own value.
    if (!shelf || at < shelf.from || (before && before.at >= at)) return made;
    if (before) this.#forget(before);
    const kept: Snapshot = { realm_id, ...share, at, made, bytes: 0, timer: undefined };
    this.#shelves.set(realm_id, shelf);
    shelf.kept.set(share.name, kept);
    this.#all.add(kept);
    try {
      const { bytes } = await made;
      this.#keep(shelf, kept, bytes);
    } catch {
      this.#forget(kept);
    }
    return made;
  }

  #keep(shelf: RealmSnapshots, kept: Snapshot, bytes: number): void {
    if (!this.#all.has(kept)) return;
    kept.bytes = bytes;
    shelf.bytes += bytes;
    this.#bytes += bytes;
    kept.timer = setTimeout(() => this.#forget(kept), KEPT).unref();
    for (const old of shelf.kept.values()) if (shelf.bytes > ROOM.realm) this.#forget(old);
    for (const old of this.#all) if (this.#bytes > ROOM.all) this.#forget(old);
  }

  #forget(kept: Snapshot): void {
    if (!this.#all.delete(kept)) return;
    clearTimeout(kept.timer);
    this.#bytes -= kept.bytes;
    const shelf = this.#shelves.get(kept.realm_id);
    if (shelf?.kept.get(kept.name) !== kept) return;
    shelf.kept.delete(kept.name);
    shelf.bytes -= kept.bytes;
    if (shelf.kept.size === 0) this.#shelves.delete(kept.realm_id);
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
  async #shelfAt({ db, realm }: Pick<PublicCtx, 'db' | 'realm'>, at: number): Promise<RealmSnapshots> {
    const shelf = this.#shelves.get(realm.id);
    if (!shelf) return this.#newShelf(realm.id, at);
    if (at <= shelf.to) return shelf;
    const { to } = shelf;
    const changes = at - to > FAR ? undefined : await listChangesBetween(db, realm.id, to, at);
    const count = changes?.reduce((sum, change) => sum + change.count, 0);
    if (this.#shelves.get(realm.id) !== shelf) return this.#shelfAt({ db, realm }, at);
    if (!changes || count !== at - to) {
      // Events that were swept, or are too many to check, may have changed anything.
      for (const kept of shelf.kept.values()) this.#forget(kept);
      return this.#newShelf(realm.id, at);
    }
    for (const { type, id } of changes) shelf.newest.set(type, Math.max(id, shelf.newest.get(type) ?? 0));
    shelf.to = Math.max(shelf.to, at);
    return shelf;
  }

  #newShelf(realm_id: number, at: number): RealmSnapshots {
    const shelf: RealmSnapshots = { from: at, to: at, newest: new Map(), kept: new Map(), bytes: 0 };
    this.#shelves.set(realm_id, shelf);
    return shelf;
  }
}

/** Whether a value equals one computed at an event. */
function isCurrent(shelf: RealmSnapshots, { at: made_at, invalidatedBy }: Snapshot, at: number): boolean {
  const earlier = Math.min(made_at, at);
  return earlier >= shelf.from && invalidatedBy.every((type) => (shelf.newest.get(type) ?? 0) <= earlier);
}
