// Who waits for the events of a queue: a poll, which one response ends, or a stream, which goes on.

import type { ResponseReceiver } from '../../core/deferred-response.ts';
import type { EventSink } from '../../core/event-stream.ts';
import { type PreserializedEvent, PreserializedEvents } from '../../core/preserialized-events.ts';

export interface EventReceiver {
  readonly isStream: boolean;
  /**
   * Sends events. `waited`: they came after the client had asked. Returns whether a stream can send more at once; if not, it calls
   * `resume` when it can.
   */
  deliver(events: readonly PreserializedEvent[], waited: boolean, resume: () => void): boolean;
  sendHeartbeat(): void;
  /** Nothing more comes: another poll or stream took over the queue, or the queue ended. */
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
    // A heartbeat of a poll is an event of the log.
    sendHeartbeat() {},
    end: () => waiter.respond({ events: new PreserializedEvents([]) }),
    fail: (error) => waiter.fail(error),
  };
}

/** A stream. However it ends, the next request says why. */
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
