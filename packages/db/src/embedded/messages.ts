/** The parameters with which the server's thread starts the thread of the embedded database. */
export interface ThreadOptions {
  /** Undefined for a database in memory. */
  readonly dataDir: string | undefined;
  /** The initial content of a database in memory: a dump. */
  readonly snapshot: Blob | undefined;
  /** PostgreSQL, compiled once for all threads of the process. */
  readonly postgres: WebAssembly.Module;
  /** The memory of a `Cancellation`. */
  readonly cancellation: SharedArrayBuffer;
}

/** Messages from the server's thread. Requests are handled one after another. */
export type ThreadRequest =
  /** Messages of PostgreSQL's protocol. */
  | { readonly kind: 'messages'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'dump' }
  | { readonly kind: 'close' };

/** Messages from the thread of the embedded database. */
export type ThreadResponse =
  | { readonly kind: 'ready'; readonly interrupts: InterruptFlags }
  /** Messages of PostgreSQL's protocol; `isLast` ends the response to one request. */
  | { readonly kind: 'messages'; readonly bytes: Uint8Array<ArrayBuffer>; readonly isLast: boolean }
  | { readonly kind: 'dump'; readonly snapshot: Blob }
  /** PostgreSQL ended during a request. The thread ends next. */
  | { readonly kind: 'failed'; readonly reason: string };

/** The addresses in PostgreSQL's memory that `CHECK_FOR_INTERRUPTS` reads. */
export interface InterruptFlags {
  readonly memory: SharedArrayBuffer;
  /** Addresses, in bytes. */
  readonly interruptPending: number;
  readonly queryCancelPending: number;
}
