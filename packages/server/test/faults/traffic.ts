// Writers and followers of an installation with faults, and a ledger of what they received.
import { setTimeout as pause } from 'node:timers/promises';
import { type Calls, ParleyError, TransportError } from '@parley/client';
import { openStream } from '../event-stream.ts';
import { apiOf, type Login, type Process } from '../parley.ts';
import type { ServerInstance } from './server-instance.ts';

/** Milliseconds between attempts of a client. */
const PAUSE = 20;

/** What the clients of the installation received. */
export class TrafficLedger {
  /** Ids that servers returned, each for a message that was sent once, and when. */
  readonly acknowledged: { readonly id: number; readonly at: number }[] = [];
  /** Undocumented responses, and connections lost without a fault. */
  readonly unexplained: string[] = [];
  /** The number of each documented error that clients got. */
  readonly errors = new Map<string, number>();

  count(error: string): void {
    this.errors.set(error, (this.errors.get(error) ?? 0) + 1);
  }
}

type DeliveredEvent = Awaited<ReturnType<Calls['getEvents']>>['events'][number];

/** Sends a request to one server after the other until one of them responds with success. */
class FailoverClient {
  readonly #servers: readonly ServerInstance[];
  readonly #login: Login;
  readonly #ledger: TrafficLedger;
  #turn: number;

  constructor(servers: readonly ServerInstance[], first: number, login: Login, ledger: TrafficLedger) {
    [this.#servers, this.#turn, this.#login, this.#ledger] = [servers, first, login, ledger];
  }

  async send<T>(what: string, request: (api: Calls, process: Process) => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (;;) {
      signal?.throwIfAborted();
      const server = this.#servers[this.#turn % this.#servers.length];
      const process = server?.process;
      const ends = server?.ends;
      if (process) {
        try {
          return await request(apiOf(process, this.#login), process);
        } catch (error) {
          signal?.throwIfAborted();
          this.#explain(what, error, server?.ends !== ends);
        }
      }
      this.#turn++;
      await pause(PAUSE);
    }
  }

  /** A server that was ended loses its connections. Every other failure is a documented response. */
  #explain(what: string, error: unknown, hasEnded: boolean): void {
    if (error instanceof ParleyError) {
      this.#ledger.count(`${error.status} ${error.code}`);
      const isDocumented = error.status === 503 && error.code === 'SERVICE_UNAVAILABLE' && error.retryAfter;
      if (!isDocumented) this.#ledger.unexplained.push(`${what}: ${error.status} ${JSON.stringify(error.body)}`);
    } else if (error instanceof TransportError && error.status === undefined && hasEnded) {
      this.#ledger.count('no response');
    } else {
      const cause = error instanceof Error ? error.cause : undefined;
      this.#ledger.unexplained.push(`${what}: ${error} ${cause ?? ''}`);
    }
  }
}

/** A user who sends one message after another, each until a server acknowledges it, under one `Idempotency-Key`. */
export class Writer {
  readonly #client: FailoverClient;
  readonly #name: string;
  readonly #ledger: TrafficLedger;
  #isRunning = false;
  #done: Promise<void> = Promise.resolve();
  count = 0;

  constructor(servers: readonly ServerInstance[], number: number, login: Login, ledger: TrafficLedger) {
    this.#client = new FailoverClient(servers, number, login, ledger);
    this.#name = `writer ${number}`;
    this.#ledger = ledger;
  }

  start(): void {
    this.#isRunning = true;
    this.#done = this.#write();
  }

  /** Resolves when the message that is being sent is acknowledged. */
  stop(): Promise<void> {
    this.#isRunning = false;
    return this.#done;
  }

  async #write(): Promise<void> {
    while (this.#isRunning) {
      const content = `${this.#name} ${this.count}`;
      const message = { type: 'stream', to: 'kitchen', topic: 'soup', content } as const;
      const options = { idempotencyKey: content.replaceAll(' ', '-') };
      const { id } = await this.#client.send(this.#name, (api) => api.sendMessage(message, options));
      this.count++;
      this.#ledger.acknowledged.push({ id, at: performance.now() });
      await pause(PAUSE);
    }
  }
}

export type Following = 'poll' | 'stream';

/** A client that follows one event queue, with long polls or with Server-Sent Events, through any of the servers. */
export class QueueFollower {
  readonly #client: FailoverClient;
  readonly #login: Login;
  readonly #queue_id: string;
  readonly #following: Following;
  readonly #ledger: TrafficLedger;
  readonly #ending = new AbortController();
  #last: number;
  #close: (() => void) | undefined;
  #done: Promise<void> = Promise.resolve();
  /** Messages of the writers, in the order of delivery: the id of the event and that of the message. */
  readonly heard: { readonly id: number; readonly message_id: number }[] = [];

  constructor(
    servers: readonly ServerInstance[],
    first: number,
    login: Login,
    queue: { readonly queue_id: string; readonly last_event_id: number },
    following: Following,
    ledger: TrafficLedger,
  ) {
    this.#client = new FailoverClient(servers, first, login, ledger);
    [this.#login, this.#queue_id, this.#last] = [login, queue.queue_id, queue.last_event_id];
    [this.#following, this.#ledger] = [following, ledger];
  }

  start(): void {
    this.#done = this.#follow();
  }

  stop(): Promise<void> {
    this.#ending.abort();
    this.#close?.();
    return this.#done;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#ending;
    const request = this.#following === 'poll' ? this.#poll : this.#stream;
    while (!signal.aborted) {
      await this.#client.send(this.#following, request.bind(this), signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    }
  }

  async #poll(api: Calls): Promise<void> {
    const queue = { queue_id: this.#queue_id, last_event_id: this.#last };
    const { events } = await api.getEvents(queue, { signal: this.#ending.signal });
    this.#hear(events);
  }

  async #stream(_api: Calls, { url }: Process): Promise<void> {
    const { email, api_key: apiKey } = this.#login;
    const port = Number(new URL(url).port);
    const target = { host: 'localhost', port, login: { email, apiKey }, queue_id: this.#queue_id };
    const stream = await openStream({ ...target, last_event_id: this.#last }).catch((cause: unknown) => {
      throw new TransportError(undefined, '', undefined, { cause });
    });
    this.#close = stream.close;
    if (this.#ending.signal.aborted) stream.close();
    let read = 0;
    const hear = () => {
      this.#hear(stream.events.slice(read));
      read = stream.events.length;
    };
    stream.response.on('data', hear);
    await stream.ended;
    hear();
    const { statusCode = 0, headers } = stream.response;
    if (statusCode !== 200) {
      throw new ParleyError(statusCode, JSON.parse(stream.text()), Number(headers['retry-after']) || undefined);
    }
  }

  #hear(events: readonly DeliveredEvent[]): void {
    for (const event of events) {
      if (event.id <= this.#last) this.#ledger.unexplained.push(`${this.#following}: event ${event.id} came again`);
      this.#last = event.id;
      if (event.type === 'message' && event.message.subject === 'soup') {
        this.heard.push({ id: event.id, message_id: event.message.id });
      }
    }
  }
}
