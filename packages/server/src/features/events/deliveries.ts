import { isExpired } from '../../core/access-token.ts';
import { ApiError } from '../../core/errors.ts';
import { FairQueue } from '../../core/fair-queue.ts';
import type { Queue } from '../../core/polls.ts';
import {
  type AudienceFacts,
  type DeliverySource,
  expandEvents,
  type LoggedEvent,
  type LoggedEventPage,
  listEvents,
  loadDeliveryFacts,
  loadVisibility,
  type StoredEvent,
} from '../event-log/index.ts';
import { RESPONSE_BUDGET } from './limit-response.ts';
import { listUserIds } from './queries.ts';
import { asShown, getVariant, isFor, preselect } from './rules.ts';
import { type SizedDelivery, toSized } from './sized-delivery.ts';

/** The avatar URL of a user who has not uploaded an avatar. */
export const getDefaultAvatarUrl = (user_id: number): string => `/avatar/${user_id}`;

/**
 * The number of pages of the log that are in memory at once. It bounds the memory, however many queues there are.
 * Catching-up polls take turns by account, and so do organizations.
 */
const turns = { waiting: Number.POSITIVE_INFINITY, errorMessage: '' };
const catchUps = new FairQueue({ running: 4, lane: 2, ...turns });
const distributions = new FairQueue({ running: 8, ...turns });

/**
 * The maximum size in bytes of the events that are distributed to all polls of an organization at once: each
 * recipient's poll sends them.
 */
const SHARED_ROOM = 1024 * 1024;

/**
 * Reads the next page of the log for one queue: its events, how far the log was read, and whether there may be more.
 */
export function readPageFor(
  source: DeliverySource,
  queue: Queue,
  after: number,
  now: Date,
): Promise<{ events: SizedDelivery[]; scanned: number; more: boolean }> {
  const { realm_id, user_id, event_types: types } = queue;
  return catchUps.run(`${realm_id}:${user_id}`, async () => {
    const page = await listEvents(source.db, { realm_id, after, types, room: RESPONSE_BUDGET });
    return { ...page, events: getDeliveriesTo(queue, await computeDeliveries(source, page.events, [queue], now)) };
  });
}

/** Reads the next page of an organization's log, of all event types, and has it distributed. */
export function readPageForQueues<T>(
  { db }: Pick<DeliverySource, 'db'>,
  { realm_id, after }: { realm_id: number; after: number },
  distribute: (page: LoggedEventPage) => Promise<T>,
): Promise<T> {
  return distributions.run(String(realm_id), async () =>
    distribute(await listEvents(db, { realm_id, after, types: null, room: SHARED_ROOM })),
  );
}

interface Reader {
  readonly queue: Queue;
}

/** Which events are for which queue. */
export interface Deliveries {
  /** By queue id, of queues for which there are any. */
  readonly byQueue: ReadonlyMap<string, SizedDelivery[]>;
  /** Queues whose polls and streams have credentials that are no longer valid: they get nothing. */
  readonly revoked: ReadonlySet<string>;
}

/** The credentials of a poll or a stream are no longer valid. */
export class CredentialsRevoked extends ApiError {
  constructor({ token }: Queue) {
    if (token) super('INVALID_TOKEN', 'Invalid token: it has expired, or was revoked.');
    else super('INVALID_API_KEY', 'Invalid API key.');
  }
}

/** @throws CredentialsRevoked */
export function getDeliveriesTo(queue: Queue, { byQueue, revoked }: Deliveries): SizedDelivery[] {
  if (revoked.has(queue.id)) throw new CredentialsRevoked(queue);
  return byQueue.get(queue.id) ?? [];
}

/** Computes which of these events are for which queue. All queues are of one organization. */
export async function computeDeliveries(
  source: DeliverySource,
  page: readonly StoredEvent[],
  queues: readonly Queue[],
  now: Date,
): Promise<Deliveries> {
  const [first] = queues;
  const deliverable = page.filter((event) => event.payload.type !== 'heartbeat');
  if (!first || deliverable.length === 0) return { byQueue: new Map(), revoked: new Set() };
  const user_ids = listUserIds(queues);
  const expanded = await expandEvents(source.db, first.realm_id, deliverable, user_ids);
  const { conversation_ids, ...known } = await loadDeliveryFacts(source, first.realm_id, expanded, queues);
  const facts = {
    ...known,
    reading: await loadVisibility(source.db, first.realm_id, expanded, user_ids, conversation_ids),
  };
  const present = presenter(page, facts);
  const possible = preselect(expanded, facts);
  const byQueue = new Map<string, SizedDelivery[]>();
  const revoked = new Set<string>();
  // There can be thousands, of which few get anything.
  for (const queue of queues) {
    if (isRevoked(queue, facts, now)) revoked.add(queue.id);
    else {
      const own: SizedDelivery[] = [];
      for (const event of possible(queue)) if (isFor(event, queue, facts)) own.push(present(event, queue));
      if (own.length > 0) byQueue.set(queue.id, own);
    }
  }
  return { byQueue, revoked };
}

/** What is distributed to all polls of an organization at once. */
export interface SharedEvents {
  /** Events of the log that the ready polls have seen. */
  readonly known: readonly StoredEvent[];
  /** Events of the log that no poll has seen. */
  readonly events: readonly StoredEvent[];
  /** Events that are not in the log. */
  readonly fresh: readonly StoredEvent[];
}

interface SharedDelivery {
  readonly events: readonly SizedDelivery[];
  readonly ephemeral: readonly SizedDelivery[];
}

interface SharedDeliveries {
  /** By queue id, of queues for which there are any. */
  readonly byQueue: ReadonlyMap<string, SharedDelivery>;
  readonly revoked: ReadonlySet<string>;
}

/** Computes which of these events are for which poll: those that are known only for polls that join. */
export async function computeSharedDeliveries(
  source: DeliverySource,
  { known, events, fresh }: SharedEvents,
  { ready, joined }: { readonly ready: readonly Reader[]; readonly joined: readonly Reader[] },
  now: Date,
): Promise<SharedDeliveries> {
  const joining = joined.map(({ queue }) => queue);
  const queues = [...ready.map(({ queue }) => queue), ...joining];
  const missed = await computeDeliveries(source, known, joining, now);
  const logged = await computeDeliveries(source, events, queues, now);
  const ephemeral = await computeDeliveries(source, fresh, queues, now);
  const byQueue = new Map<string, SharedDelivery>();
  for (const [id, before] of missed.byQueue)
    byQueue.set(id, { events: [...before, ...(logged.byQueue.get(id) ?? NONE)], ephemeral: NONE });
  for (const [id, own] of logged.byQueue) if (!byQueue.has(id)) byQueue.set(id, { events: own, ephemeral: NONE });
  for (const [id, own] of ephemeral.byQueue)
    byQueue.set(id, { events: byQueue.get(id)?.events ?? NONE, ephemeral: own });
  return { byQueue, revoked: new Set([...missed.revoked, ...logged.revoked, ...ephemeral.revoked]) };
}

const NONE: readonly SizedDelivery[] = [];
export const NOTHING: SharedDelivery = { events: NONE, ephemeral: NONE };

/** Serializes events as queues show them, once for all queues that show an event alike. */
function presenter(page: readonly StoredEvent[], facts: AudienceFacts) {
  const stored = new Map(page.map(({ id, bytes }) => [id, bytes]));
  const made = new Map<number, Map<string, SizedDelivery>>();
  const present = (event: LoggedEvent, queue: Queue) =>
    toSized(asShown(event, queue, facts, getDefaultAvatarUrl), stored.get(event.id) ?? 0);
  return (event: LoggedEvent, queue: Queue): SizedDelivery => {
    const variant = getVariant(event, queue, facts);
    if (variant === undefined) return present(event, queue);
    const variants = made.get(event.id);
    const known = variants?.get(variant);
    if (known) return known;
    const delivery = present(event, queue);
    if (variants) variants.set(variant, delivery);
    else made.set(event.id, new Map([[variant, delivery]]));
    return delivery;
  };
}

/**
 * Whether the credentials of a poll or a stream have ended: the API key of the account was replaced, the account deactivated, or
 * the token expired or revoked.
 */
function isRevoked(
  { user_id, key_version, token }: Queue,
  { key_versions, token_ids }: Pick<AudienceFacts, 'key_versions' | 'token_ids'>,
  now: Date,
): boolean {
  if (key_versions.get(user_id) !== key_version) return true;
  if (token === undefined) return false;
  return !token_ids.has(token.id) || isExpired(token, now);
}
