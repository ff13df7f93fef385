import { randomUUID } from 'node:crypto';
import type { Database } from '@parley/db';
import type { Logger } from '../../core/log.ts';
import type { EphemeralEvent } from '../../core/polls.ts';

/** What processes notify each other of. */
export interface WakeMessage {
  /** Organizations with new events in the log. */
  readonly realms: number[];
  /** Polls whose queues another process took over. */
  readonly ended: { queue_id: string; ticket: string }[];
  /** Ephemeral events. */
  readonly ephemeral: EphemeralEvent[];
}

/**
 * Characters of one notification, which is limited to 8000 bytes, without those that identify the part and the message.
 */
const ROOM = 7900;

const nothing = (): WakeMessage => ({ realms: [], ended: [], ephemeral: [] });

/** Milliseconds. */
export interface WakeTimes {
  /** Wake-ups within this time are sent to the other processes as one. */
  readonly coalesce: number;
  /** The minimum time from one notification to the next. */
  readonly pace: number;
}

/**
 * The notification channel between the processes on one database. Each notification costs PostgreSQL about a tenth of a message, in all
 * sessions that listen, so those that follow one soon are combined.
 */
export class WakeChannel {
  /** The name of this process. */
  readonly process = randomUUID();
  readonly #database: Database;
  readonly #log: Logger;
  readonly #times: WakeTimes;
  #pending = nothing();
  #timer: NodeJS.Timeout | undefined;
  /** When the last notification was due to be sent. */
  #last = Number.NEGATIVE_INFINITY;
  #sending: Promise<void> = Promise.resolve();
  /** Incomplete messages, by sending process: each process sends one message after another. */
  readonly #begun = new Map<string, string[]>();

  constructor(database: Database, log: Logger, times: WakeTimes) {
    this.#database = database;
    this.#log = log;
    this.#times = times;
  }

  /** Adds to the next notification. An embedded database has one process, so there are no others. */
  queue(add: (message: WakeMessage) => void): void {
    if (this.#database.kind === 'embedded') return;
    add(this.#pending);
    if (this.#timer) return;
    const { coalesce, pace } = this.#times;
    const wait = Math.max(coalesce, this.#last + pace - performance.now());
    this.#timer = setTimeout(() => void this.flush(), wait);
  }

  listen(onMessage: (message: WakeMessage) => void): Promise<void> {
    return this.#database.channel.listen((text) => {
      const message = this.#join(text);
      if (message) onMessage(message);
    });
  }

  /** Sends pending notifications at once. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    if (!this.#timer) return this.#sending;
    this.#timer = undefined;
    this.#last = performance.now();
    const message = this.#pending;
    this.#pending = nothing();
    this.#sending = this.#sending.then(() => this.#send(message));
    return this.#sending;
  }

  /** Sends nothing more by itself; `flush` still does. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  async #send(message: WakeMessage): Promise<void> {
    try {
      for (const part of cut(JSON.stringify(message))) await this.#database.channel.send(`${this.process} ${part}`);
    } catch (error) {
      this.#log.warn({ err: error }, 'a wake-up was lost; polling makes up for it, but for typing notices');
    }
  }

  #join(text: string): WakeMessage | undefined {
    const [, from = '', nth, count, piece = ''] = /^(\S+) (\d+)\/(\d+) (.*)$/s.exec(text) ?? [];
    if (from === '' || from === this.process) return undefined;
    const before = nth === '1' ? [] : (this.#begun.get(from) ?? []);
    this.#begun.delete(from);
    // A part is missing if the connection broke meanwhile.
    if (before.length + 1 !== Number(nth)) return undefined;
    const parts = [...before, piece];
    if (nth === count) return JSON.parse(parts.join('')) as WakeMessage;
    this.#begun.set(from, parts);
    return undefined;
  }
}

/** Splits a text into parts that each fit into a notification, with the number of each part and of all. */
function cut(text: string): string[] {
  // Escaped, every character is one byte, so no cut is inside of a character.
  const bytes = text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const count = Math.ceil(bytes.length / ROOM);
  return Array.from({ length: count }, (_, n) => `${n + 1}/${count} ${bytes.slice(n * ROOM, (n + 1) * ROOM)}`);
}
