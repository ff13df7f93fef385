import { randomUUID } from 'node:crypto';
import type { Database } from '@parley/db';
import type { Delivered, Polls, Queue } from '../../core/context.ts';
import type { Logger } from '../../core/log.ts';
import { deliveries, readFor } from './log.ts';
import { insertHeartbeat, listEvents, listLastEventIds } from './queries.ts';
import type { Logged } from './rules.ts';

/** Milliseconds. */
export interface PollTimes {
  /** Quiet after which a waiting poll gets a heartbeat: at least, and how much later at most. */
  quiet: number;
  spread: number;
  /** How often waiting polls are looked at for heartbeats. */
  tick: number;
  /** How often the log is looked at even without a wake-up: a lost one costs this much time and never an event. */
  fallback: number;
  /** Wake-ups within this time are sent to the other processes as one. */
  coalesce: number;
}

// Behaviour 2.1: a heartbeat after 45 to 55 s of quiet.
export const defaultTimes: PollTimes = { quiet: 45_000, spread: 5_000, tick: 5_000, fallback: 500, coalesce: 3 };

const MINUTE = 60_000;
/** Events read from the log at once. */
const PAGE = 500;

interface Poll {
  readonly queue: Queue;
  readonly ticket: string;
  /** Everything up to here was looked at for this poll. */
  cursor: number;
  /** Not yet while it is catching up with the log: until then only its own reading may answer it. */
  ready: boolean;
  /** When a heartbeat is due: milliseconds of `performance.now()`. */
  readonly due: number;
  answer(events: Delivered[]): void;
}

interface RealmPolls {
  readonly polls: Map<string, Poll>;
  /** The log was read up to here for every poll that is ready. */
  head: number | undefined;
  /** Grows with every look, so that a poll which was catching up meanwhile knows to read again. */
  looks: number;
  looking: boolean;
  lookAgain: boolean;
}

export interface PollServer extends Polls {
  /** Looks at an organization's log now, and tells the other processes to. */
  wake(realm_id: number): void;
  /** Starts hearing other processes. */
  listen(): Promise<void>;
  /** Tells the other processes at once what they have not been told yet. */
  flush(): Promise<void>;
  /** Answers every waiting poll with an empty list and stops. */
  close(): void;
  /** How many polls wait. */
  waiting(): number;
}

/** What processes tell one another: organizations with news, and polls that have moved away. */
interface Wake {
  from: string;
  realms: number[];
  ended: { queue_id: string; ticket: string }[];
}

/** Opens the long polls of this process. */
export function createPolls(
  database: Database,
  log: Logger,
  clock: () => Date,
  times: PollTimes = defaultTimes,
): PollServer {
  return new LongPolls(database, log, clock, times);
}

/** The long polls of this process, fed from the log once for all of them. */
class LongPolls implements PollServer {
  readonly #process = randomUUID();
  readonly #realms = new Map<number, RealmPolls>();
  readonly #timers: NodeJS.Timeout[];
  #pending: Wake = { from: this.#process, realms: [], ended: [] };
  #sending: NodeJS.Timeout | undefined;
  #closed = false;
  #tickets = 0;
  /** Polls that were ended before they began to wait, and when: tickets of the last minute. */
  readonly #endedEarly = new Map<string, number>();
  readonly #database: Database;
  readonly #log: Logger;
  readonly #clock: () => Date;
  readonly #times: PollTimes;

  constructor(database: Database, log: Logger, clock: () => Date, times: PollTimes) {
    this.#database = database;
    this.#log = log;
    this.#clock = clock;
    this.#times = times;
    this.#timers = [every(times.tick, () => this.#beat(), log), every(times.fallback, () => this.#checkLogs(), log)];
  }

  ticket(): string {
    return `${this.#process}/${++this.#tickets}`;
  }

  wait(queue: Queue, after: number, ticket: string): Promise<Delivered[]> {
    if (this.#closed || this.#endedEarly.delete(ticket)) return Promise.resolve([]);
    this.#endHere(queue.id);
    const realm = this.#realms.get(queue.realm_id) ?? newRealmPolls();
    this.#realms.set(queue.realm_id, realm);
    return new Promise((resolve, reject) => {
      const poll: Poll = {
        queue,
        ticket,
        cursor: after,
        ready: false,
        due: performance.now() + this.#times.quiet + Math.random() * this.#times.spread,
        answer: (events) => {
          if (realm.polls.get(queue.id) === poll) realm.polls.delete(queue.id);
          if (realm.polls.size === 0 && this.#realms.get(queue.realm_id) === realm) this.#realms.delete(queue.realm_id);
          resolve(events);
        },
      };
      realm.polls.set(queue.id, poll);
      this.#catchUp(realm, poll).catch((error) => {
        reject(error);
        poll.answer([]);
      });
    });
  }

  end(queue_id: string, ticket: string | null): void {
    if (ticket === null) return;
    if (this.#isOwn(ticket)) this.#endTicket(queue_id, ticket);
    else {
      this.#pending.ended.push({ queue_id, ticket });
      this.#tell();
    }
  }

  wake(realm_id: number): void {
    this.#look(realm_id);
    if (this.#database.kind === 'embedded') return;
    if (!this.#pending.realms.includes(realm_id)) this.#pending.realms.push(realm_id);
    this.#tell();
  }

  listen(): Promise<void> {
    return this.#database.channel.listen((text) => this.#hear(text));
  }

  async flush(): Promise<void> {
    if (this.#sending) await this.#send();
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    clearTimeout(this.#sending);
    for (const realm of [...this.#realms.values()]) for (const poll of [...realm.polls.values()]) poll.answer([]);
  }

  waiting(): number {
    return [...this.#realms.values()].reduce((sum, realm) => sum + realm.polls.size, 0);
  }

  /** Reads the log for one poll until nothing happened while it was reading. */
  async #catchUp(realm: RealmPolls, poll: Poll): Promise<void> {
    for (;;) {
      const { looks } = realm;
      const { events, scanned } = await readFor(this.#database.db, poll.queue, poll.cursor);
      if (events.length > 0) return poll.answer(events);
      poll.cursor = scanned;
      if (looks === realm.looks) break;
    }
    poll.ready = true;
    realm.head ??= poll.cursor;
  }

  #look(realm_id: number): void {
    const realm = this.#realms.get(realm_id);
    if (!realm) return;
    realm.lookAgain = true;
    if (realm.looking) return;
    realm.looking = true;
    this.#lookUntilDone(realm_id, realm).catch((error) =>
      this.#log.error({ err: error, realm: realm_id }, 'the event log cannot be read; trying again'),
    );
  }

  async #lookUntilDone(realm_id: number, realm: RealmPolls): Promise<void> {
    try {
      while (realm.lookAgain) {
        realm.lookAgain = false;
        realm.looks++;
        if (realm.head === undefined) continue;
        const page = await listEvents(this.#database.db, realm_id, realm.head, PAGE);
        const last = page.at(-1);
        if (!last) continue;
        await this.#distribute(realm, page);
        realm.head = last.id;
        realm.lookAgain = true;
      }
    } finally {
      // Nothing is awaited between the last look and here, so no wake-up falls in between.
      realm.looking = false;
    }
  }

  async #distribute(realm: RealmPolls, page: readonly Logged[]): Promise<void> {
    const ready = [...realm.polls.values()].filter((poll) => poll.ready);
    const queues = ready.map((poll) => poll.queue);
    const found = await deliveries(this.#database.db, page, queues);
    const heartbeat = page.findLast((event) => event.payload.type === 'heartbeat');
    for (const poll of ready) {
      const events = (found.get(poll.queue.id) ?? []).filter((event) => event.id > poll.cursor);
      if (events.length > 0) poll.answer(events);
      else if (heartbeat && heartbeat.id > poll.cursor && poll.due <= performance.now()) {
        poll.answer([{ type: 'heartbeat', id: heartbeat.id }]);
      } else poll.cursor = Math.max(poll.cursor, page.at(-1)?.id ?? 0);
    }
  }

  async #beat(): Promise<void> {
    const now = performance.now();
    for (const [ticket, at] of this.#endedEarly) if (now - at > MINUTE) this.#endedEarly.delete(ticket);
    for (const [realm_id, realm] of this.#realms) {
      if (![...realm.polls.values()].some((poll) => poll.ready && poll.due <= now)) continue;
      await insertHeartbeat(this.#database.db, realm_id, this.#clock());
      this.#look(realm_id);
    }
  }

  async #checkLogs(): Promise<void> {
    if (this.#realms.size === 0) return;
    for (const { realm_id, last_event_id } of await listLastEventIds(this.#database.db, [...this.#realms.keys()])) {
      if (last_event_id > (this.#realms.get(realm_id)?.head ?? Number.POSITIVE_INFINITY)) this.#look(realm_id);
    }
  }

  readonly #isOwn = (ticket: string): boolean => ticket.startsWith(`${this.#process}/`);

  #endTicket(queue_id: string, ticket: string): void {
    const waiting = [...this.#realms.values()].find((realm) => realm.polls.get(queue_id)?.ticket === ticket);
    if (waiting) waiting.polls.get(queue_id)?.answer([]);
    else this.#endedEarly.set(ticket, performance.now());
  }

  #endHere(queue_id: string): void {
    for (const realm of [...this.#realms.values()]) realm.polls.get(queue_id)?.answer([]);
  }

  #tell(): void {
    this.#sending ??= setTimeout(() => void this.#send(), this.#times.coalesce);
  }

  async #send(): Promise<void> {
    clearTimeout(this.#sending);
    this.#sending = undefined;
    const { realms, ended } = this.#pending;
    this.#pending = { from: this.#process, realms: [], ended: [] };
    // A notification holds 8000 bytes.
    while (realms.length > 0 || ended.length > 0) {
      const text = JSON.stringify({ from: this.#process, realms: realms.splice(0, 200), ended: ended.splice(0, 30) });
      await this.#database.channel
        .send(text)
        .catch((error) => this.#log.warn({ err: error }, 'a wake-up was lost; polling makes up for it'));
    }
  }

  #hear(text: string): void {
    const wake = JSON.parse(text) as Wake;
    for (const { queue_id, ticket } of wake.ended) if (this.#isOwn(ticket)) this.#endTicket(queue_id, ticket);
    if (wake.from !== this.#process) for (const realm_id of wake.realms) this.#look(realm_id);
  }
}

const newRealmPolls = (): RealmPolls => ({
  polls: new Map(),
  head: undefined,
  looks: 0,
  looking: false,
  lookAgain: false,
});

/** Runs `work` again and again, never twice at once. A failure is logged and the next turn tries again. */
function every(ms: number, work: () => Promise<void>, log: Logger): NodeJS.Timeout {
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    work()
      .catch((error) => log.error({ err: error }, 'the event log cannot be read'))
      .finally(() => {
        busy = false;
      });
  }, ms);
  timer.unref();
  return timer;
}
