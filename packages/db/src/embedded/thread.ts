import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ConnectionError, queryCanceled } from '../postgres/errors.ts';
import { Cancellation } from './cancellation.ts';
import type { InterruptFlags, ThreadOptions, ThreadRequest, ThreadResponse } from './messages.ts';
import { withSharedMemory } from './shared-memory.ts';

/** The same file from the sources and from the build: see worker.ts. */
const WORKER = new URL('../../dist/embedded/worker.js', import.meta.url);

/** Milliseconds between checks of the running request's deadline. */
const LOOK = 100;
/** Milliseconds within which PostgreSQL must end a canceled statement before its thread is terminated. */
const CANCEL_GRACE = 3_000;
/** The same for closing the database. */
const CLOSE_GRACE = 10_000;

/**
 * PostgreSQL limits its stack depth to 2 MB of its own stack, for which the engine needs more than the default 4 MB of
 * threads.
 */
const STACK = 32;

const STOPPED = '57P01';

let compiled: Promise<WebAssembly.Module> | undefined;

/** PostgreSQL, compiled once: threads share a compiled module. */
async function compilePostgres(): Promise<WebAssembly.Module> {
  const library = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  return WebAssembly.compile(withSharedMemory(await readFile(join(dirname(library), 'pglite.wasm'))));
}

/** The embedded database in a thread of its own, as seen from the server's thread. It has one connection. */
export class DatabaseThread {
  /** Resolves when the thread has ended, with the reason. */
  readonly ended: Promise<Error>;
  readonly #worker: Worker;
  readonly #cancellation: Cancellation;
  #interrupts: InterruptFlags | undefined;
  #receive: (bytes: Uint8Array) => void = () => {};
  #onDump: (snapshot: Blob) => void = () => {};
  #reason: Error | undefined;
  /** Requests whose last response has not arrived. */
  #running = 0;
  #timer: NodeJS.Timeout | undefined;
  /** When the running request was canceled. */
  #canceledAt: number | undefined;

  private constructor(options: ThreadOptions, cancellation: Cancellation) {
    this.#cancellation = cancellation;
    this.#worker = new Worker(WORKER, {
      name: 'embedded database',
      workerData: options,
      // Options of the process, such as module loaders, must not apply to this thread.
      execArgv: [],
      resourceLimits: { stackSizeMb: STACK },
    });
    this.#worker.on('error', (error) => this.#endBecause(error.message));
    this.ended = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        clearInterval(this.#timer);
        resolve(this.#reason ?? stopped('it was closed'));
      });
    });
  }

  /** Opens the database. `onMessages` receives PostgreSQL's messages. */
  static async start(
    options: Pick<ThreadOptions, 'dataDir' | 'snapshot'>,
    onMessages: (bytes: Uint8Array) => void,
  ): Promise<DatabaseThread> {
    compiled ??= compilePostgres();
    const cancellation = new Cancellation();
    const postgres = await compiled;
    const thread = new DatabaseThread({ ...options, postgres, cancellation: cancellation.buffer }, cancellation);
    thread.#receive = onMessages;
    await thread.#ready();
    return thread;
  }

  /** Sends messages of PostgreSQL's protocol. The bytes are transferred to the thread. */
  send(bytes: Uint8Array<ArrayBuffer>): void {
    this.#running++;
    this.#timer ??= setInterval(() => this.#look(), LOOK);
    this.#request({ kind: 'messages', bytes }, [bytes.buffer]);
  }

  /** Cancels the running request, if there is one, and no later one. */
  cancel(): void {
    this.#cancellation.cancelRunning(() => this.#interrupt());
  }

  dump(): Promise<Blob> {
    const snapshot = new Promise<Blob>((resolve) => {
      this.#onDump = resolve;
    });
    this.#request({ kind: 'dump' });
    return Promise.race([snapshot, this.ended.then((error) => Promise.reject(error))]);
  }

  /** Cancels the running request, closes the database, and resolves when the thread has ended. */
  async close(): Promise<void> {
    this.cancel();
    this.#request({ kind: 'close' });
    const timer = setTimeout(() => void this.#worker.terminate(), CLOSE_GRACE);
    await this.ended;
    clearTimeout(timer);
  }

  #ready(): Promise<void> {
    return new Promise((resolve, reject) => {
      void this.ended.then(reject);
      this.#worker.on('message', (response: ThreadResponse) => {
        if (response.kind === 'ready') resolve();
        this.#handle(response);
      });
    });
  }

  #request(request: ThreadRequest, transferred: ArrayBuffer[] = []): void {
    this.#worker.postMessage(request, transferred);
  }

  #handle(response: ThreadResponse): void {
    if (response.kind === 'ready') this.#interrupts = response.interrupts;
    else if (response.kind === 'dump') this.#onDump(response.snapshot);
    else if (response.kind === 'failed') this.#endBecause(response.reason);
    else {
      if (response.isLast) this.#endRequest();
      this.#receive(response.bytes);
    }
  }

  #endBecause(reason: string): void {
    this.#reason ??= stopped(reason);
  }

  #endRequest(): void {
    this.#canceledAt = undefined;
    if (--this.#running > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** PostgreSQL ends a statement at its next check for interrupts. A statement without one ends with its thread. */
  #look(): void {
    if (!this.#cancellation.isOverdue()) return;
    this.#canceledAt ??= this.#cancelOverdue();
    if (performance.now() - this.#canceledAt < CANCEL_GRACE) return;
    this.#reason ??= queryCanceled();
    void this.#worker.terminate();
  }

  #cancelOverdue(): number {
    this.#cancellation.cancelOverdue(() => this.#interrupt());
    return performance.now();
  }

  #interrupt(): void {
    if (!this.#interrupts) return;
    const { memory, interruptPending, queryCancelPending } = this.#interrupts;
    const words = new Int32Array(memory);
    Atomics.store(words, queryCancelPending >> 2, 1);
    Atomics.store(words, interruptPending >> 2, 1);
  }
}

const stopped = (reason: string) => new ConnectionError(STOPPED, `The embedded database has stopped: ${reason}.`);
