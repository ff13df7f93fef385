import type { Client } from '../client.ts';
import type { FetchedRegistration } from '../fetched-state.ts';
import type { EventOptions, EventTypeList, StateTypeList } from '../queue.ts';
import { applyEvent, type Event, type State } from './index.ts';

export interface Mirrored<Mirror = State> {
  /** As it is now. Each is a new object; what did not change is shared with the one before. */
  readonly state: Mirror;
  /** What changed it. Absent at the start, and when the queue was lost and the state is a new one. */
  readonly event?: Event;
}

/**
 * The state of a registration, kept true by events: first as it is, then again after each event.
 *
 * @param client - Whose state.
 * @param options - As for `client.events()`. `fetch_event_types` chooses the parts of the state; what is unread or starred needs
 * `realm_user` and `subscription` beside it. Leave `types` and `narrow` out: a part also changes by events of other types, such as
 * the name of a subscription by `stream`. A `signal` ends it also while it waits; `return()` is heard at the next event.
 * @throws {ParleyError} What `client.events()` throws.
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
