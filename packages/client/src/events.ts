import { backoff, pause } from './backoff.ts';
import type { Registration } from './fetched-state.ts';
import type { Calls } from './generated/calls.ts';
import {
  type DeliveredEvent,
  type EventOptions,
  EventQueue,
  type EventType,
  type ResumingEventOptions,
} from './queue.ts';
import type { RetryReporting } from './retries.ts';

/** The queue was lost and a new one opened. Changes in between are in the state, and in no event. */
export interface Resync<State = Registration> {
  readonly type: 'resync';
  readonly state: State;
}

/** Iterate it once. Leaving the loop, `return()`, or aborting the signal also deletes the queue on the server. */
export interface EventStream<Type extends EventType = EventType, State = Registration, Opened = State>
  extends AsyncGenerator<Extract<DeliveredEvent, { type: Type }> | Resync<State>, void, undefined> {
  /**
   * Opens the queue now instead of at the begin of the iteration: no event after the promise resolves is missed.
   *
   * @returns The state that the events are based on; undefined if they continue from a stored position.
   */
  open(): Promise<Opened>;
}

export function followEvents(
  calls: Calls,
  options: EventOptions & Partial<ResumingEventOptions> = {},
  reporting: RetryReporting = {},
): EventStream<EventType, Registration, Registration | undefined> {
  const queue = new EventQueue(calls, options, reporting);
  const events = follow(queue) as EventStream<EventType, Registration, Registration | undefined>;
  const leave = events.return.bind(events);
  return Object.assign(events, {
    open: async () => (await queue.open()).state,
    // The pending poll is not awaited.
    return() {
      queue.end();
      return leave();
    },
  });
}

async function* follow(queue: EventQueue): AsyncGenerator<DeliveredEvent | Resync, void, undefined> {
  const { signal } = queue;
  try {
    let at = await queue.open();
    for (let last = at.last_event_id, isLost = at.isLost; ; ) {
      const events = isLost ? undefined : await queue.poll(at, last);
      if (!events) {
        if (!isLost) at = await queue.register();
        isLost = false;
        last = at.last_event_id;
        if (at.state) yield { type: 'resync', state: at.state };
        await queue.save(at, last);
        continue;
      }
      // An empty response means that another poll of the queue took over.
      if (events.length === 0) await pause(backoff(1), signal);
      for (const event of events) {
        if (event.id <= last) continue;
        last = event.id;
        if (event.type !== 'heartbeat') yield event;
        // The caller requests the next event after it has handled this one.
        await queue.save(at, last);
        signal.throwIfAborted();
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    queue.end();
  }
}
