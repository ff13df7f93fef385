import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '@parley/db';
import type { AdmissionLimits } from './core/admission-limits.ts';
import { type CollectionLimits, DEFAULT_COLLECTION_LIMITS } from './core/collection-limits.ts';
import type { Ctx } from './core/context.ts';
import type { ApiKeys, StreamAddresses, TokenHashing } from './core/credentials.ts';
import type { IdentityServices } from './core/identity.ts';
import { bounds } from './core/limits.ts';
import type { Logger } from './core/log.ts';
import type { RateLimits, RequestLimits } from './core/rate-limits.ts';
import { SchemaWatch } from './core/schema-watch.ts';
import { type Sealing, seal, unseal } from './core/sealing.ts';
import type { Secrets } from './core/secrets.ts';
import type { Server, Transactions } from './core/server.ts';
import { type Engine, transact } from './core/transaction.ts';
import { EpochWatch } from './epoch-watch.ts';
import { deriveApiKey, RememberedCallers } from './features/auth/index.ts';
import { createMemoize, EventLogSnapshotCache, findLastEventId, NewestEvents } from './features/event-log/index.ts';
import { createPolls, type PollOptions, type PollServer, type PollTimes } from './features/events/index.ts';
import type { KeyLimits } from './features/idempotency-keys/index.ts';
import { deriveMailToken } from './features/incoming-mail/index.ts';
import type { ServerAddress } from './features/realm/index.ts';
import { hashToken, listHashes } from './features/tokens/index.ts';
import { RememberedProfiles, RememberedUsers } from './features/users/index.ts';
import { type Admission, createAdmission } from './http/admission/index.ts';
import { ByteQuota, type ByteQuotaLimits } from './http/byte-quota.ts';
import { OrganizationOrigins } from './http/organization-origins.ts';
import { SpentCallers } from './http/spent-callers.ts';
import { createItemSerialization, type OnBadResponse } from './http/validate.ts';
import type { Mailer } from './mail/mailer.ts';
import { SecretGuard } from './secrets/index.ts';

/** The options of a server that `main.ts`, or a test, sets. */
export interface AppOptions {
  readonly database: Database;
  readonly clock: () => Date;
  readonly log: Logger;
  readonly limits: RateLimits;
  readonly requestLimits: RequestLimits;
  readonly mailer: Mailer;
  /** Absent: users authenticate with passwords only. */
  readonly identity?: IdentityServices | undefined;
  /** API keys are derived from them. */
  readonly secrets: Secrets;
  readonly serverAddress: ServerAddress;
  /** Express's `trust proxy`: the proxies whose forwarded headers count. */
  readonly trustProxy: string | number | boolean;
  /** Origins of pages that can call the API of every organization; absent: none. */
  readonly allowedOrigins?: ReadonlySet<string> | undefined;
  /** Called for a response that does not match the document; absent: the request fails (tests and development). */
  readonly onBadResponse?: OnBadResponse | undefined;
  readonly pollTimes?: PollTimes | undefined;
  /** The maximum size of the files of one organization, in bytes; absent: 10 GiB. */
  readonly uploadSpace?: number | undefined;
  /** Absent: the defaults. */
  readonly collectionLimits?: CollectionLimits | undefined;
  /**
   * Milliseconds after which operations that work in batches end; absent: as
   * docs/behaviour/limits.md#windows-and-batches says.
   */
  readonly budget?: number | undefined;
  /** Milliseconds without progress after which a transfer is aborted; absent: half a minute. */
  readonly idleTimeoutMs?: number | undefined;
  /** The maximum number of idempotency keys; absent: `bounds.idempotency_keys`. */
  readonly keyLimits?: KeyLimits | undefined;
  /** Bytes of request bodies held at once; absent: `bounds.request_bytes`. */
  readonly requestQuota?: ByteQuotaLimits | undefined;
  /** Bytes of unread responses held at once; absent: `bounds.response_bytes`. */
  readonly responseQuota?: ByteQuotaLimits | undefined;
  /** Requests in progress at once; absent: derived from the number of database connections. */
  readonly admissionLimits?: AdmissionLimits | undefined;
}

type WithDefaults =
  | 'limits'
  | 'pollTimes'
  | 'budget'
  | 'uploadSpace'
  | 'collectionLimits'
  | 'identity'
  | 'requestQuota'
  | 'responseQuota'
  | 'admissionLimits'
  | 'allowedOrigins';

/** All long-lived objects, created once. Only `http/`, `workers/` and `cli/` access it. */
export interface App extends Engine, Omit<AppOptions, WithDefaults> {
  readonly onBadResponse: OnBadResponse | undefined;
  readonly polls: PollServer;
  readonly schema: SchemaWatch;
  readonly secretGuard: SecretGuard;
  readonly epochWatch: EpochWatch;
  /** Bytes of request bodies, files included, whose responses have not been sent yet. */
  readonly requestBytes: ByteQuota;
  /** Bytes of responses that their clients have not read yet. */
  readonly responseBytes: ByteQuota;
  /** Files that are being sent. */
  readonly downloads: ByteQuota;
  readonly allowedOrigins: ReadonlySet<string>;
  readonly organizationOrigins: OrganizationOrigins;
  readonly admission: Admission;
  readonly spentCallers: SpentCallers;
  readonly rememberedCallers: RememberedCallers;
  readonly idleTimeoutMs: number;
  readonly keyLimits: KeyLimits;
}

export async function createApp({
  limits,
  pollTimes,
  budget = bounds.budget,
  uploadSpace = bounds.upload_space,
  collectionLimits = DEFAULT_COLLECTION_LIMITS,
  idleTimeoutMs = bounds.idle_timeout,
  keyLimits = bounds.idempotency_keys,
  requestQuota = bounds.request_bytes,
  responseQuota = bounds.response_bytes,
  admissionLimits,
  allowedOrigins = new Set(),
  identity = noIdentityServices,
  ...options
}: AppOptions): Promise<App> {
  const organizationOrigins = new OrganizationOrigins();
  const newestEvents = new NewestEvents((realm_id) => findLastEventId(options.database.reads, realm_id));
  const onRealmEvents = (realm_id: number): void => {
    organizationOrigins.expire(realm_id);
    newestEvents.expire(realm_id);
  };
  const polls = await openPolls(options, { times: pollTimes, onRealmEvents }, collectionLimits);
  const app: App = {
    ...options,
    onBadResponse: options.onBadResponse,
    epochWatch: new EpochWatch(options.database, polls, options.log),
    secretGuard: new SecretGuard(options.database.db, options.secrets, options.clock, options.log),
    polls,
    schema: new SchemaWatch(options.database, options.log),
    ...createQuotas(requestQuota, responseQuota),
    allowedOrigins,
    organizationOrigins,
    admission: createAdmission(options.database, admissionLimits),
    spentCallers: new SpentCallers(),
    rememberedCallers: new RememberedCallers(options.database.callerLease),
    idleTimeoutMs,
    keyLimits,
    wake: (realm_id) => polls.wake(realm_id),
    server: {
      limits,
      polls,
      checkEpoch: async () => void (await app.epochWatch.check()),
      snapshotCache: new EventLogSnapshotCache(),
      memoizeUntilNextEvent: createMemoize(newestEvents),
      namedUsers: new RememberedUsers(options.database.callerLease),
      profiles: new RememberedProfiles(options.database.callerLease),
      ...createSecretFunctions(options.secrets),
      ...createItemSerialization(options),
      upload_space: uploadSpace,
      collection_limits: collectionLimits,
      identity,
      log: options.log,
      budget,
      throttle: createThrottle(options.database),
      ...createTransactions(() => app),
    },
  };
  return app;
}

const createTransactions = (getEngine: () => Engine): Transactions => ({
  inTransaction: (caller, work, oneMoment) =>
    transact(
      getEngine(),
      { me: undefined, ...caller },
      work as unknown as (ctx: Ctx<Server>) => ReturnType<typeof work>,
      oneMoment,
    ),
});

/** What is made with the secret, or read with it. */
const createSecretFunctions = (secrets: Secrets): ApiKeys & Sealing & StreamAddresses & TokenHashing => ({
  apiKeyOf: (realm, user) => deriveApiKey(secrets.current, realm, user),
  mailTokenOf: (realm, stream) => deriveMailToken(secrets.current, realm, stream),
  seal: (purpose, realm, text) => seal(secrets, purpose, realm, text),
  tokenHashOf: (secret) => hashToken(secrets.current, secret),
  tokenHashesOf: (secret) => listHashes(secrets, secret),
  unseal: (purpose, realm, sealed) => unseal(secrets, purpose, realm, sealed),
});

async function openPolls(
  { database, log, clock }: Pick<AppOptions, 'database' | 'log' | 'clock'>,
  options: Omit<PollOptions, 'unsaved'>,
  { queue_events }: CollectionLimits,
): Promise<PollServer> {
  // Far fewer than a queue can retain, so that no queue is ended for events that its poll has already read.
  const unsaved = Math.min(2000, Math.ceil(queue_events / 10));
  const polls = createPolls(database, log, clock, { ...options, unsaved });
  await polls.listen();
  return polls;
}

const createQuotas = (request: ByteQuotaLimits, response: ByteQuotaLimits) => ({
  requestBytes: new ByteQuota(request),
  responseBytes: new ByteQuota(response),
  downloads: new ByteQuota({ process: Number.POSITIVE_INFINITY, account: bounds.downloads, address: 0, guaranteed: 0 }),
});

const noIdentityServices: IdentityServices = { directory: undefined, providers: [] };

/**
 * Milliseconds. PostgreSQL ends transactions without a statement (`idle_transaction`), and some pauses are inside a
 * transaction.
 */
const LONGEST_PAUSE = 2_000;

/** An embedded database runs one transaction at a time: a pause inside one would only make others wait longer. */
function createThrottle({ kind }: Database): Server['throttle'] {
  return async (since) => {
    if (kind === 'postgres') await pause(Math.min(performance.now() - since, LONGEST_PAUSE));
  };
}
