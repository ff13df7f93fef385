/** What the server's thread starts the thread of the embedded database with. */
export interface ThreadOptions {
  /** Undefined for a database in memory. */
  readonly dataDir: string | undefined;
  /** What a database in memory begins as: a dump. */
  readonly snapshot: Blob | undefined;
  /** PostgreSQL, compiled once for all threads of the process. */
  readonly postgres: WebAssembly.Module;
  /** The memory of a `Cancellation`. */
  readonly cancellation: SharedArrayBuffer;
}

/** From the server's thread. Requests are served one after another. */
export type ThreadRequest =
  /** Messages of PostgreSQL's protocol. */
  | { readonly kind: 'messages'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'dump' }
  | { readonly kind: 'close' };

/** From the thread of the embedded database. */
export type ThreadResponse =
  | { readonly kind: 'ready'; readonly interrupts: InterruptFlags }
  /** Messages of PostgreSQL's protocol; `isLast` ends the response to one request. */
  | { readonly kind: 'messages'; readonly bytes: Uint8Array<ArrayBuffer>; readonly isLast: boolean }
  | { readonly kind: 'dump'; readonly snapshot: Blob }
  /** PostgreSQL ended in the middle of a request. The thread ends next. */
  | { readonly kind: 'failed'; readonly reason: string };

/** Where PostgreSQL's memory has what `CHECK_FOR_INTERRUPTS` reads. */
export interface InterruptFlags {
  readonly memory: SharedArrayBuffer;
  /** Addresses, in bytes. */
  readonly interruptPending: number;
  readonly queryCancelPending: number;
}
