import { Duplex } from 'node:stream';
import { ConnectionError } from '../postgres/errors.ts';
import type { PoolOptions } from '../postgres/pool.ts';
import { DatabaseThread } from './thread.ts';

const CANNOT_CONNECT = '08001';

export interface EmbeddedServerOptions {
  /** Undefined for a database in memory. */
  readonly dataDir: string | undefined;
  readonly snapshot: Blob | undefined;
}

/**
 * The embedded database as a server with one connection, which has a thread as a connection of PostgreSQL has a server
 * process. After a lost connection, the next one starts a new thread, and recovers the directory as after a crash.
 */
export class EmbeddedServer {
  readonly #options: EmbeddedServerOptions;
  #thread: DatabaseThread | undefined;
  #previous: Promise<unknown> = Promise.resolve();

  constructor(options: EmbeddedServerOptions) {
    this.#options = options;
  }

  /** The methods of the server that a pool of connections uses. */
  get access(): Pick<PoolOptions, 'createStream' | 'cancel'> {
    return {
      createStream: () => new ThreadConnection((onMessages) => this.#start(onMessages)),
      cancel: () => {
        this.#thread?.cancel();
        return { canArriveLate: false };
      },
    };
  }

  async dump(): Promise<Blob> {
    if (!this.#thread) throw lost();
    return this.#thread.dump();
  }

  async #start(onMessages: (bytes: Uint8Array) => void): Promise<DatabaseThread> {
    // Two threads on one directory would destroy it.
    await this.#previous;
    if (this.#thread && this.#options.dataDir === undefined) throw lost();
    const starting = DatabaseThread.start(this.#options, onMessages);
    this.#previous = starting.then(
      (thread) => thread.ended,
      () => {},
    );
    this.#thread = await starting;
    return this.#thread;
  }
}

const lost = () => new ConnectionError(CANNOT_CONNECT, 'The database in memory is lost.');

/** A connection to a thread, with the methods of a socket that the driver calls. */
class ThreadConnection extends Duplex {
  readonly #start: (onMessages: (bytes: Uint8Array) => void) => Promise<DatabaseThread>;
  #thread: DatabaseThread | undefined;

  constructor(start: (onMessages: (bytes: Uint8Array) => void) => Promise<DatabaseThread>) {
    super();
    this.#start = start;
  }

  connect(): this {
    this.#start((bytes) => this.push(bytes)).then(
      (thread) => this.#use(thread),
      (error) => this.destroy(error),
    );
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this._writev([{ chunk }], done);
  }

  /** The driver writes the messages of one statement together: they are one request. */
  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    // Copied: the driver's buffers are parts of larger ones, which cannot be transferred.
    this.#thread?.send(new Uint8Array(Buffer.concat(chunks.map(({ chunk }) => chunk))));
    done();
  }

  override _final(done: () => void): void {
    this.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    void (this.#thread?.close() ?? Promise.resolve()).then(() => done(error));
  }

  #use(thread: DatabaseThread): void {
    this.#thread = thread;
    void thread.ended.then((error) => this.destroy(error));
    if (this.destroyed) void thread.close();
    else this.emit('connect');
  }
}
