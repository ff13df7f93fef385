import { backoff, pause } from './backoff.ts';
import { ParleyError } from './errors.ts';
import type { Calls } from './generated/calls.ts';
import { type RetryReporting, withRetries } from './retries.ts';
import type { CallOptions, Params, Payload, Schema } from './types.ts';

export type Registration = Payload<'registerQueue'>;
type Delivered = Schema<'Delivered'>;
type DeliveredEvent = Exclude<Delivered, { type: 'heartbeat' }>;
export type EventType = DeliveredEvent['type'];

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

/** Iterate it once. Leaving the loop, `return()`, or aborting the signal ends the queue on the server as well. */
export interface EventStream<Type extends EventType = EventType>
  extends AsyncGenerator<Extract<DeliveredEvent, { type: Type }> | Resync, void, undefined> {
  /**
   * Opens the queue now rather than when the iteration begins: whatever happens after it has resolved is heard.
   *
   * @returns The state that the events build on.
   */
  open(): Promise<Registration>;
}

export function followEvents<Type extends EventType>(
  calls: Calls,
  options: EventOptions<Type> = {},
  telling: RetryReporting = {},
): EventStream<Type> {
  const queue = queueOf(calls, options, telling);
  const events = follow(queue) as EventStream<Type>;
  const leave = events.return.bind(events);
  return Object.assign(events, {
    open: queue.open,
    // A poll that waits is not waited for.
    return() {
      queue.end();
      return leave();
    },
  });
}

type Queue = ReturnType<typeof queueOf>;

/** The queue behind a stream, and the ones that follow when it is lost. What is asked of it is asked until it succeeds. */
function queueOf(calls: Calls, { types, signal, timeout, ...params }: EventOptions, telling: RetryReporting) {
  const wanted = { ...params, event_types: types };
  const ending = new AbortController();
  const ask = <Id extends 'registerQueue' | 'getEvents'>(operation: Id, given: Params<Id>, options?: CallOptions) => {
    const call = calls[operation] as (params: Params<Id>, options: CallOptions) => Promise<Payload<Id>>;
    const left = ending.signal;
    return withRetries({ operation, signal: left }, telling, () =>
      call(given, { signal: left, retries: 0, ...options }),
    );
  };
  let opened: Promise<Registration> | undefined;
  let at: Registration | undefined;
  const register = async () => {
    const registered = await ask('registerQueue', wanted);
    at = registered;
    // Whoever left meanwhile knew of no queue to end.
    if (ending.signal.aborted) end();
    return registered;
  };
  const end = () => {
    signal?.removeEventListener('abort', end);
    ending.abort(signal?.reason);
    // Not waited for: an end is an end, and a queue that nobody asks for goes away by itself.
    if (at) calls.deleteQueue({ queue_id: at.queue_id }, { retries: 0, timeout: 10_000 }).catch(() => {});
    at = undefined;
  };
  return {
    signal: ending.signal,
    register,
    end,
    open() {
      if (!opened) {
        signal?.addEventListener('abort', end);
        if (signal?.aborted) end();
        opened = register();
      }
      return opened;
    },
    /** The events after `last_event_id`; undefined if the queue is gone. */
    poll: ({ queue_id, event_queue_longpoll_timeout_seconds: seconds = 90 }: Registration, last_event_id: number) =>
      ask('getEvents', { queue_id, last_event_id }, { timeout: timeout ?? seconds * 1000 }).then(
        ({ events }) => events,
        (error): undefined => {
          if (!ParleyError.is(error, 'BAD_EVENT_QUEUE_ID')) throw error;
        },
      ),
  };
}

async function* follow({
  signal,
  open,
  register,
  poll,
  end,
}: Queue): AsyncGenerator<DeliveredEvent | Resync, void, undefined> {
  try {
    let at = await open();
    for (let last = at.last_event_id; ; ) {
      const events = await poll(at, last);
      if (!events) {
        at = await register();
        last = at.last_event_id;
        yield { type: 'resync', state: at };
        continue;
      }
      // Nothing at all is the answer when another poll of the queue took over.
      if (events.length === 0) await pause(backoff(1), signal);
      for (const event of events) {
        if (event.id <= last) continue;
        last = event.id;
        if (event.type !== 'heartbeat') yield event;
        signal.throwIfAborted();
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    end();
  }
}
