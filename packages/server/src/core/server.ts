import type { CollectionLimiting, FileSpace } from './collection-limits.ts';
import type { PublicCtx } from './context.ts';
import type { ApiKeys, StreamAddresses, TokenHashing } from './credentials.ts';
import type { ExternalAuthentication } from './identity.ts';
import type { Logging } from './log.ts';
import type { UserNaming } from './named-users.ts';
import type { EpochChecks, Polling } from './polls.ts';
import type { ProfileRemembering } from './profiles.ts';
import type { EmailChangeLimiting, PasswordLimiting, RateLimits } from './rate-limits.ts';
import type { Sealing } from './sealing.ts';
import type { ItemSerialization } from './serialized-items.ts';
import type { Memoizing, SnapshotCaching } from './snapshot-cache.ts';

/** For operations that manage their transactions. */
export interface Transactions {
  /** Does the quick part of an operation that manages itself, for the same caller, in a transaction. */
  inTransaction<C extends PublicCtx, T>(
    caller: C,
    work: (ctx: C) => Promise<T>,
    /** Whether all that it reads is from one snapshot. */
    repeatableRead?: boolean,
  ): Promise<T>;
}

/** For operations on any number of rows. */
export interface Throttling {
  /** Waits as long as the work since then took, so that a large operation leaves half of the machine to other requests. */
  throttle(since: number): Promise<void>;
}

/** For operations that work in batches. */
export interface Batching extends Throttling {
  /** Milliseconds that such an operation goes on; then it says how far it came. */
  readonly budget: number;
}

/** What the running process offers to operations. The type of a function names the parts that it uses. */
export interface Server
  extends ApiKeys,
    Batching,
    CollectionLimiting,
    EmailChangeLimiting,
    EpochChecks,
    ExternalAuthentication,
    FileSpace,
    ItemSerialization,
    Logging,
    Memoizing,
    PasswordLimiting,
    Polling,
    ProfileRemembering,
    Sealing,
    SnapshotCaching,
    StreamAddresses,
    TokenHashing,
    Transactions,
    UserNaming {
  readonly limits: RateLimits;
}
