import type { Client } from '../client.ts';
import type { FetchedRegistration } from '../fetched-state.ts';
import type { EventOptions, EventTypeList, StateTypeList } from '../queue.ts';
import { applyEvent, type Event, type State } from './index.ts';

export interface Mirrored<Mirror = State> {
  /** The present state. Each is a new object; unchanged parts are shared with the previous one. */
  readonly state: Mirror;
  /** The event that changed it. Absent for the first state, and after the queue was lost. */
  readonly event?: Event;
}

/**
 * The state of a registration, updated by events: yields the initial state, then the state after each event.
 *
 * @param client - The client of the user.
 * @param options - As for `client.events()`. `fetch_event_types` selects the parts of the state; unread and starred
 * messages also need `realm_user` and `subscription`. Omit `types` and `narrow`: a part also changes by events of other
 * types, such as the name of a subscription by `stream`. A `signal` ends it even while it waits; `return()` takes
 * effect at the next event.
 * @throws {ParleyError} The errors of `client.events()`.
 * @since Feature level 237.
 * @see `/docs/guides/events/` on your server
 * @example
 * for await (const { state } of mirror(client, { signal })) render(state);
 */
export function mirror<const Types extends EventTypeList = undefined, const Fetched extends StateTypeList = undefined>(
  client: Client,
  options?: EventOptions<Types, Fetched>,
): AsyncGenerator<Mirrored<FetchedRegistration<Types, Fetched>>, void>;
export async function* mirror(client: Client, options: EventOptions = {}): AsyncGenerator<Mirrored, void> {
  const stream = client.events(options);
  try {
    let state: State = await stream.open();
    yield { state };
    for await (const event of stream) {
      const isAnew = event.type === 'resync';
      state = isAnew ? event.state : applyEvent(state, event, options);
      yield isAnew ? { state } : { state, event };
    }
  } catch (error) {
    if (!options.signal?.aborted) throw error;
  } finally {
    await stream.return();
  }
}
