import pg from 'pg';
import { parseAddress } from './address.ts';
import type { LeaseSession } from './caller-lease.ts';
import { destroyConnection, withDeadline } from './deadline.ts';
import { SERVER } from './server.ts';

/** Milliseconds between attempts to connect. */
const PAUSE = 500;

export interface ListenerOptions {
  readonly connectTimeout: number;
  /** Milliseconds between statements that only check whether the server still responds. */
  readonly pingInterval: number;
  /** Called with the session of each connection, and without one when that is lost. */
  readonly onSession?: ((session?: LeaseSession) => void) | undefined;
}

/** Listens on a connection of its own, and reconnects when that is lost. Notifications in between are not delivered. */
export class Listener {
  readonly #channel: string;
  readonly #servers: readonly string[];
  readonly #options: ListenerOptions;
  readonly #onNotification: (text: string) => void;
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #attempts = 0;
  #isClosed = false;

  constructor(url: string, channel: string, options: ListenerOptions, onNotification: (text: string) => void) {
    this.#servers = parseAddress(url).servers;
    this.#channel = channel;
    this.#options = options;
    this.#onNotification = onNotification;
  }

  /** Resolves after the first attempt; if it failed, others follow. */
  async start(): Promise<void> {
    if (this.#isClosed) return;
    const client = new pg.Client({
      application_name: 'parley',
      connectionString: this.#servers[this.#attempts++ % this.#servers.length],
      connectionTimeoutMillis: this.#options.connectTimeout,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    this.#client = client;
    client.on('error', () => {});
    // The connection of an attempt that failed can end when another one has succeeded.
    client.on('end', () => client === this.#client && this.#onLost());
    client.on('notification', ({ payload = '' }) => this.#onNotification(payload));
    try {
      await client.connect();
      await this.#query(client, `listen ${this.#channel}`);
      await this.#offerSession(client);
      this.#pingLater(client);
    } catch {
      this.#client = undefined;
      this.#startLater();
      void client.end().catch(() => {});
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#options.onSession?.();
    clearTimeout(this.#timer);
    const client = this.#client;
    if (client) await withDeadline(client, this.#options.connectTimeout, client.end());
  }

  #query(client: pg.Client, text: string): Promise<pg.QueryResult | pg.QueryResult[]> {
    return withDeadline(client, this.#options.connectTimeout, client.query(text));
  }

  async #offerSession(client: pg.Client): Promise<void> {
    const { onSession } = this.#options;
    if (!onSession) return;
    const query = async (text: string) => [await this.#query(client, text)].flat().flatMap(({ rows }) => rows);
    const [{ server }] = await query(`select ${SERVER} as server`);
    if (client === this.#client && !this.#isClosed)
      onSession({ server, query, close: () => destroyConnection(client) });
  }

  #onLost(): void {
    this.#options.onSession?.();
    this.#startLater();
  }

  /** An idle connection does not detect that its server is gone. A connection without a response is closed. */
  #pingLater(client: pg.Client): void {
    this.#setTimer(this.#options.pingInterval, () => {
      this.#query(client, 'select 1').then(
        () => client === this.#client && this.#pingLater(client),
        () => destroyConnection(client),
      );
    });
  }

  #startLater(): void {
    this.#setTimer(PAUSE, () => void this.start());
  }

  #setTimer(milliseconds: number, work: () => void): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(work, milliseconds);
    this.#timer.unref();
  }
}
