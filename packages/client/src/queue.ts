import { ParleyError, TransportError } from './errors.ts';
import type { Registration } from './fetched-state.ts';
import type { Calls } from './generated/calls.ts';
import type { PositionStore, QueuePosition } from './positions.ts';
import { type RetryReporting, withRetries } from './retries.ts';
import type { CallOptions, Params, Payload, Schema } from './types.ts';

type Delivered = Schema<'Delivered'>;
export type DeliveredEvent = Exclude<Delivered, { type: 'heartbeat' }>;
export type EventType = DeliveredEvent['type'];
/** A part of the state, as `fetch_event_types` names it. */
export type StateType = NonNullable<Params<'registerQueue'>['fetch_event_types']>[number];
export type EventTypeList = readonly EventType[] | undefined;
/** The types of a list; without a list, all. */
export type EventTypeOf<Types extends EventTypeList> = [Types] extends [undefined]
  ? EventType
  : Types extends readonly (infer Type)[]
    ? Type
    : EventType;
export type StateTypeList = readonly StateType[] | undefined;

export interface EventOptions<
  Types extends EventTypeList = EventTypeList,
  Fetched extends StateTypeList = StateTypeList,
> extends Omit<Params<'registerQueue'>, 'event_types' | 'fetch_event_types'> {
  /** Event types to receive. Absent: all but `heartbeat`. */
  types?: Types;
  /** The parts of the state to fetch. Absent: those that `types` name. */
  fetch_event_types?: Fetched;
  /** Ends the iteration at once, without an error. */
  signal?: AbortSignal | undefined;
  /** Milliseconds after which a poll without a response is aborted. Default: what the server recommends, 90 seconds. */
  timeout?: number | undefined;
}

/** Options of a program that resumes at its stored position. */
export interface ResumingEventOptions<
  Types extends EventTypeList = EventTypeList,
  Fetched extends StateTypeList = StateTypeList,
> extends EventOptions<Types, Fetched> {
  /**
   * Stores the position of the program. The queue then stays when the iteration ends, and the next iteration with the
   * same store and parameters continues with the first unhandled event. An event is handled when the iteration requests
   * the next one, or ends by its signal after it. Until the position is stored, the server keeps the event, so it is
   * delivered again after a crash.
   */
  resume: PositionStore;
}

/** A queue, and the event after which its events are requested. */
export interface OpenedQueue extends Omit<QueuePosition, 'registered_with'> {
  readonly timeout?: number | undefined;
  /** The response of the registration; absent if the position was stored. */
  readonly state?: Registration;
  /** The stored position is no longer valid: changes since then are in the state. */
  readonly isLost?: boolean;
}

type QueueOptions = EventOptions & Partial<ResumingEventOptions>;

/** The queue of an event iterator, and those that follow when it is lost. Requests are repeated until they succeed. */
export class EventQueue {
  readonly #calls: Calls;
  readonly #options: QueueOptions;
  readonly #registration: Params<'registerQueue'>;
  readonly #reporting: RetryReporting;
  readonly #ending = new AbortController();
  readonly signal = this.#ending.signal;
  #opened: Promise<OpenedQueue> | undefined;
  #at: OpenedQueue | undefined;
  #saved: number | undefined;

  constructor(calls: Calls, options: QueueOptions, reporting: RetryReporting) {
    const { types, signal: _, timeout: __, resume: ___, ...params } = options;
    this.#calls = calls;
    this.#options = options;
    this.#registration = { ...params, event_types: types };
    this.#reporting = withWarning(reporting);
  }

  open(): Promise<OpenedQueue> {
    if (!this.#opened) {
      const { signal } = this.#options;
      signal?.addEventListener('abort', this.end);
      if (signal?.aborted) this.end();
      this.#opened = this.#start();
    }
    return this.#opened;
  }

  async register(): Promise<OpenedQueue> {
    const state = await this.#request('registerQueue', this.#registration);
    const { queue_id, last_event_id, event_queue_longpoll_timeout_seconds: seconds = 90 } = state;
    const at = { queue_id, last_event_id, timeout: seconds * 1000, state };
    this.#at = at;
    this.#saved = undefined;
    // A caller that stopped meanwhile knew of no queue to delete.
    if (this.signal.aborted) this.end();
    return at;
  }

  /** The events after `last_event_id`; undefined if the queue is gone. */
  poll({ queue_id, timeout = 90_000 }: OpenedQueue, last_event_id: number): Promise<Delivered[] | undefined> {
    const options = { timeout: this.#options.timeout ?? timeout };
    return this.#request('getEvents', { queue_id, last_event_id }, options).then(
      ({ events }) => events,
      (error): undefined => {
        if (!ParleyError.is(error, 'BAD_EVENT_QUEUE_ID')) throw error;
      },
    );
  }

  /** Stores that everything up to an event was handled. Only afterwards can the server delete these events. */
  async save({ queue_id }: OpenedQueue, last_event_id: number): Promise<void> {
    const position = { queue_id, last_event_id, registered_with: JSON.stringify(this.#registration) };
    if (this.#saved !== last_event_id) await this.#options.resume?.save(position);
    this.#saved = last_event_id;
  }

  /** Aborts pending requests, and deletes the queue unless the program resumes it later. */
  readonly end = (): void => {
    const { signal, resume } = this.#options;
    signal?.removeEventListener('abort', this.end);
    this.#ending.abort(signal?.reason);
    if (this.#at && resume) this.#release(this.#at);
    else if (this.#at) this.#delete(this.#at.queue_id);
    this.#at = undefined;
  };

  async #start(): Promise<OpenedQueue> {
    const stored = await this.#options.resume?.load();
    if (stored?.registered_with === JSON.stringify(this.#registration)) {
      this.#at = stored;
      return stored;
    }
    const first = await this.register();
    if (!stored) {
      await this.save(first, first.last_event_id);
      return first;
    }
    // A queue with other parameters delivers other events: the position in it says nothing about the new one.
    this.#delete(stored.queue_id);
    return { ...first, isLost: true };
  }

  /** Not awaited: a queue without polls expires. */
  #delete(queue_id: string): void {
    this.#calls.deleteQueue({ queue_id }, { retries: 0, timeout: 10_000 }).catch(() => {});
  }

  /**
   * Ends an event stream that is open between two polls: it would keep the program from ending. Acknowledges only what
   * is stored.
   */
  #release({ queue_id, last_event_id }: OpenedQueue): void {
    const params = { queue_id, last_event_id: this.#saved ?? last_event_id, dont_block: true };
    this.#calls.getEvents(params, { retries: 0, timeout: 10_000 }).catch(() => {});
  }

  #request<Id extends 'registerQueue' | 'getEvents'>(
    operation: Id,
    params: Params<Id>,
    options?: CallOptions,
  ): Promise<Payload<Id>> {
    const call = this.#calls[operation] as (params: Params<Id>, options: CallOptions) => Promise<Payload<Id>>;
    const { signal } = this;
    return withRetries({ operation, signal }, this.#reporting, () => call(params, { signal, retries: 0, ...options }));
  }
}

/** Adds a warning for each outage where the program has no reporting: with a wrong URL it would wait without a word. */
const withWarning = (reporting: RetryReporting): RetryReporting =>
  reporting.logger || reporting.onRetry
    ? reporting
    : {
        onRetry({ attempt, error }) {
          // biome-ignore lint/suspicious/noConsole: the program has given nothing else to write to.
          if (attempt === 3 && error instanceof TransportError) console.warn(`${error.message}. Trying again.`);
        },
      };
