import type { StatementNames } from './statement-names.ts';

/** Why a statement has exceeded its timeout: by its own work, a lock of another session, or a server that hung. */
export type Delay = 'work' | 'lock' | 'hang';

/** A request to cancel the statement that a session runs. */
export interface CancelRequest {
  /** Whether it may arrive after that statement has ended, and cancel another one. */
  readonly canArriveLate: boolean;
  /** What took the time; absent where it can only be the statement's own work. */
  readonly delay?: Promise<Delay>;
}

export interface SessionOptions {
  readonly isPooled: boolean;
  /** Undefined where statements must not stay prepared. */
  readonly names: StatementNames | undefined;
  /** Statements to send with each `begin`, where settings of the session do not last. */
  readonly begin: string;
  /** The steps of transactions that are prepared on the connection; undefined where nothing must stay prepared. */
  readonly preparedSteps: Set<string> | undefined;
  /** Milliseconds after which a statement is canceled; undefined: by the settings of the session. */
  readonly limit: number | undefined;
  /** Requests that the server cancel the statement that the session runs. */
  cancel(): CancelRequest | undefined;
  /** Milliseconds until a statement without a response fails; 0: none. */
  readonly deadline: number;
  /** Whether the driver has lost the connection. */
  isLost(): boolean;
}
