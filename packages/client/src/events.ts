import { wordFor } from './call.ts';
import { ParleyError, TransportError } from './errors.ts';
import type { Calls } from './generated/calls.ts';
import type { ClientOptions } from './options.ts';
import { backoff, pause } from './pause.ts';
import type { Params, Payload, Schema } from './types.ts';

export type Registration = Payload<'registerQueue'>;
type Delivered = Schema<'Delivered'>;
export type EventType = Delivered['type'];

/** The queue was lost and a new one opened. What happened in between is in the state, and in no event. */
export interface Resync {
  readonly type: 'resync';
  readonly state: Registration;
}

export interface EventOptions<Type extends EventType = EventType> extends Omit<Params<'registerQueue'>, 'event_types'> {
  /** Types of events to hear. Absent: all but `heartbeat`. */
  types?: readonly Type[] | undefined;
  /** Ends the iteration at once, without an error. */
  signal?: AbortSignal | undefined;
  /** Milliseconds after which a poll without an answer is given up. Default: what the server recommends, 90 seconds. */
  timeout?: number | undefined;
}

/** Iterate it once. Leaving the loop, or aborting the signal, ends the queue on the server as well. */
export interface EventStream<Type extends EventType = EventType>
  extends AsyncGenerator<Extract<Delivered, { type: Type }> | Resync, void, undefined> {
  /**
   * Opens the queue now rather than when the iteration begins: whatever happens after it has resolved is heard.
   *
   * @returns The state that the events build on.
   */
  open(): Promise<Registration>;
}

/** What following a queue takes. Each insists until it succeeds or fails for good. */
interface Queue {
  open(): Promise<Registration>;
  register(): Promise<Registration>;
  /** The events after `last`; undefined if the queue is gone. */
  poll(queue: Registration, last: number): Promise<Delivered[] | undefined>;
  leave(queue: Registration): void;
}

export function followEvents<Type extends EventType>(
  calls: Calls,
  { types, signal, timeout, ...params }: EventOptions<Type> = {},
  logger?: ClientOptions['logger'],
): EventStream<Type> {
  const wanted = { ...params, ...(types && { event_types: [...types] }) };
  const insist = insisting(signal, logger);
  let opened: Promise<Registration> | undefined;
  const queue: Queue = {
    register: () => insist(() => calls.registerQueue(wanted, { signal, retries: 0 })),
    open: () => (opened ??= queue.register()),
    poll: ({ queue_id, event_queue_longpoll_timeout_seconds: seconds = 90 }, last_event_id) => {
      const patience = { signal, retries: 0, timeout: timeout ?? seconds * 1000 };
      return insist(() => calls.getEvents({ queue_id, last_event_id }, patience).then(({ events }) => events, goneOr));
    },
    // Not waited for: an end is an end, and a queue that nobody asks for goes away by itself.
    leave: ({ queue_id }) => void calls.deleteQueue({ queue_id }, { retries: 0 }).catch(() => {}),
  };
  return Object.assign(follow(queue, signal) as EventStream<Type>, { open: queue.open });
}

async function* follow(queue: Queue, signal?: AbortSignal): AsyncGenerator<Delivered | Resync, void, undefined> {
  let at: Registration | undefined;
  try {
    at = await queue.open();
    for (let last = at.last_event_id; ; ) {
      const events = await queue.poll(at, last);
      if (!events) {
        at = await queue.register();
        last = at.last_event_id;
        yield { type: 'resync', state: at };
        continue;
      }
      // Nothing at all is the answer when another poll of the queue took over.
      if (events.length === 0) await pause(backoff(0), signal);
      for (const event of events) {
        if (event.id <= last) continue;
        last = event.id;
        if (event.type !== 'heartbeat') yield event;
        signal?.throwIfAborted();
      }
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
  } finally {
    if (at) queue.leave(at);
  }
}

function goneOr(error: unknown): undefined {
  if (!ParleyError.is(error, 'BAD_EVENT_QUEUE_ID')) throw error;
}

const insisting =
  (signal: AbortSignal | undefined, logger: ClientOptions['logger']) =>
  async <T>(work: () => Promise<T>): Promise<T> => {
    for (let failures = 0; ; failures++) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof ParleyError || error instanceof TransportError) || isFinal(error)) throw error;
        const wait = Math.max((error.retryAfter ?? 0) * 1000, backoff(failures));
        logger?.warn(`events: ${wordFor(error)}, next try in ${Math.round(wait)} ms`);
        await pause(wait, signal);
      }
    }
  };

/** A refusal says the same however often one asks; anything else may pass. */
const isFinal = (error: ParleyError | TransportError): boolean =>
  error instanceof ParleyError && error.status < 500 && error.status !== 429;
