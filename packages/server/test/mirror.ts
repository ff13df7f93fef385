// The law of the event log: an earlier state + the events delivered since = the state as it is now.
import { applyEvent, type Calls, ParleyError, type State } from '@parley/client';
import { applyCompatibilityEvent } from '@parley/client/compatibility';
import { expect } from 'vitest';
import type { Delivered } from '../src/core/polls.ts';

const registration = { include_subscribers: true, client_gravatar: false, apply_markdown: true } as const;

/**
 * A poll reads 500 events of the log at once, whatever their audience: a response that ends well before is complete.
 */
const SCANNED_AT_ONCE = 250;

export interface MirrorListener {
  /** The events of these types (all, if none is given) since the last call. */
  takeEvents(types: readonly string[]): Promise<Delivered[]>;
  /** Stops keeping the state: it is not checked. */
  dropState(): void;
  /** Checks the law; a listener without a state has nothing to check. */
  holdLaw(): Promise<void>;
}

/**
 * Registers a queue and follows it. With `mirrored`, it keeps the state too: that costs a full registration now and one
 * later.
 */
export async function listenAs(api: Calls, mirrored: boolean): Promise<MirrorListener> {
  let isMirrored = mirrored;
  const { queue_id, last_event_id, ...first } = await api.registerQueue(
    mirrored ? registration : { ...registration, fetch_event_types: [] },
  );
  let last = last_event_id;
  let state: State = first;
  let unheard: Delivered[] = [];
  // After a deletion no event has the newest message that is left.
  let lostSome = false;
  // Nor the messages that a user received in a stream but was removed before their delivery: `max_message_id` counts
  // them.
  let leftSome = false;
  async function drain(): Promise<void> {
    for (;;) {
      const before = last;
      const { events } = await api.getEvents({ queue_id, last_event_id: last, dont_block: true });
      for (const event of events) {
        expect(event.id, 'event ids ascend').toBeGreaterThan(last);
        last = event.id;
        lostSome ||= event.type === 'delete_message' || (event.type === 'update_message' && 'new_stream_id' in event);
        leftSome ||= event.type === 'subscription' && event.op === 'remove';
        if (isMirrored) state = applyCompatibilityEvent(applyEvent(state, event, registration), event);
        unheard.push(event);
      }
      if (last - before < SCANNED_AT_ONCE) return;
    }
  }
  return {
    async takeEvents(types) {
      await drain();
      const isSelected = (event: Delivered) => types.length === 0 || types.includes(event.type);
      const heard = unheard.filter(isSelected);
      unheard = unheard.filter((event) => !isSelected(event));
      return heard;
    },
    dropState() {
      isMirrored = false;
    },
    async holdLaw() {
      if (!isMirrored) return;
      try {
        await drain();
      } catch (error) {
        if (hasNoQueue(error)) return;
        throw error;
      }
      const { queue_id: _, last_event_id: __, ...now } = await api.registerQueue(registration);
      const { max_message_id, recent_private_conversations } = now;
      const newest = {
        ...((lostSome || leftSome) && { max_message_id }),
        ...(lostSome && { recent_private_conversations }),
      };
      // Nor the time.
      const { server_timestamp } = now;
      expect({ ...state, ...newest, server_timestamp }, 'state + events = fresh state').toEqual(now);
    },
  };
}

/** Deactivated users have no queue, and requests of deactivated organizations fail. */
function hasNoQueue(error: unknown): boolean {
  if (!(error instanceof ParleyError)) return false;
  return [401, 404].includes(error.status) || error.code === 'BAD_EVENT_QUEUE_ID';
}
