// Receivers of the events of a queue: a poll, which one response ends, or a stream, which stays open.

import type { ResponseReceiver } from '../../core/deferred-response.ts';
import type { EventSink } from '../../core/event-stream.ts';
import { type PreserializedEvent, PreserializedEvents } from '../../core/preserialized-events.ts';

export interface EventReceiver {
  readonly isStream: boolean;
  /**
   * Sends events. `waited`: they came after the client had polled. Returns whether a stream accepts more at once; if
   * not, it calls `resume` when it does.
   */
  deliver(events: readonly PreserializedEvent[], waited: boolean, resume: () => void): boolean;
  sendHeartbeat(): void;
  /** Ends without further events: another poll or stream took over the queue, or the queue ended. */
  end(): void;
  fail(error: unknown): void;
}

/** The waiter of a poll. */
export type PollWaiter = ResponseReceiver<{ events: PreserializedEvents }>;

/** A poll: the first events end it. */
export function toPollReceiver(waiter: PollWaiter): EventReceiver {
  return {
    isStream: false,
    deliver(events, waited) {
      waiter.respond({ events: new PreserializedEvents(events) }, { isFree: waited });
      return false;
    },
    // The heartbeat of a poll is an event of the log.
    sendHeartbeat() {},
    end: () => waiter.respond({ events: new PreserializedEvents([]) }),
    fail: (error) => waiter.fail(error),
  };
}

/** A stream. After any end, the next request reports the reason. */
export function toStreamReceiver(sink: EventSink, onError: (error: unknown) => void): EventReceiver {
  return {
    isStream: true,
    deliver(events, _waited, resume) {
      if (sink.send(events)) return true;
      sink.onceDrained(resume);
      return false;
    },
    sendHeartbeat: () => sink.sendHeartbeat(),
    end: () => sink.end(),
    fail(error) {
      onError(error);
      sink.end();
    },
  };
}
