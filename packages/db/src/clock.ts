import { sql } from 'drizzle-orm';
import { type Database, type Db, rows } from './connect.ts';

/** Milliseconds between two reads of the database's clock. */
const INTERVAL = 2_000;

/**
 * The clock of the database, which all servers on it share. Times that one server writes are compared with the time of
 * another, so the clock of the server's own machine must not matter: it can be wrong, and can be set while the server
 * runs.
 */
export class DatabaseClock {
  /** UNIX time in milliseconds when `performance.now()`, which is independent of clock settings, was 0. */
  #origin: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  readonly now = (): Date => {
    if (this.#origin === undefined) throw new Error('The clock of the database was not read.');
    return new Date(this.#origin + performance.now());
  };

  /**
   * The database read its clock between the request and the response. Within these bounds the clock keeps its time, so
   * a slow response does not shift it.
   */
  async synchronize(db: Db): Promise<void> {
    const sent = performance.now();
    const time = await readTime(db);
    const [earliest, latest] = [time - performance.now(), time - sent];
    this.#origin = Math.min(Math.max(this.#origin ?? (earliest + latest) / 2, earliest), latest);
  }

  start({ probe }: Pick<Database, 'probe'>): void {
    this.#timer = setTimeout(async () => {
      // While the database is unavailable, the clock continues without it.
      await this.synchronize(probe).catch(() => {});
      if (this.#timer) this.start({ probe });
    }, INTERVAL);
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

async function readTime(db: Db): Promise<number> {
  const [row] = await rows<{ time: number }>(
    db,
    sql`select (extract(epoch from clock_timestamp()) * 1000)::double precision as time`,
  );
  if (!row) throw new Error('The database returned no time.');
  return row.time;
}
