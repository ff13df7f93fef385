import pg from 'pg';
import { parseAddress } from './address.ts';

/** Milliseconds between attempts to connect. */
const PAUSE = 500;

/** Listens on a connection of its own, and connects again when that is lost. Notifications in between are not delivered. */
export class Listener {
  readonly #channel: string;
  readonly #servers: readonly string[];
  readonly #hear: (text: string) => void;
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #attempts = 0;
  #isClosed = false;

  constructor(url: string, channel: string, hear: (text: string) => void) {
    this.#servers = parseAddress(url).servers;
    this.#channel = channel;
    this.#hear = hear;
  }

  /** Resolves after the first attempt; after a failed one, others follow. */
  async start(): Promise<void> {
    if (this.#isClosed) return;
    const client = new pg.Client({
      application_name: 'parley',
      connectionString: this.#servers[this.#attempts++ % this.#servers.length],
      connectionTimeoutMillis: 2_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    this.#client = client;
    client.on('error', () => {});
    // The connection of an attempt that failed can end when another one has succeeded.
    client.on('end', () => client === this.#client && this.#startLater());
    client.on('notification', ({ payload = '' }) => this.#hear(payload));
    try {
      await client.connect();
      await client.query(`listen ${this.#channel}`);
    } catch {
      this.#client = undefined;
      this.#startLater();
      void client.end().catch(() => {});
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#client?.end();
  }

  #startLater(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.start(), PAUSE);
    this.#timer.unref();
  }
}
