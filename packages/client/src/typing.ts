import type { Calls } from './generated/calls.ts';
import type { Params } from './types.ts';

type WithoutOp<Value> = Value extends unknown ? Omit<Value, 'op'> : never;
/** The destination of the message that the user is typing: the parameters of `setTyping` without `op`. */
export type TypingDestination = WithoutOp<Params<'setTyping'>>;

export interface TypingIntervals {
  server_typing_started_wait_period_milliseconds?: number | undefined;
  server_typing_stopped_wait_period_milliseconds?: number | undefined;
}

/** Milliseconds: a notification that takes longer comes too late, and would delay the following ones. */
const TIMEOUT = 10_000;

export interface TypingNotifier {
  /**
   * Call it on each key press: it notifies the others at the necessary interval. Another destination stops the previous
   * one.
   */
  typed(destination: TypingDestination): void;
  /** Call it when the message was sent or discarded. */
  stop(): void;
}

/**
 * Sends typing notifications at the intervals that the server recommends. Failures are ignored.
 *
 * @param client - The client of the user who is typing.
 * @param intervals - The response of `registerQueue` or `stream.open()`, with intervals in milliseconds. Default: 30
 * and 12 seconds.
 * @since Feature level 237.
 * @see `/docs/guides/typing/` on your server
 */
export function createTypingNotifier(
  client: { setTyping(...args: Parameters<Calls['setTyping']>): PromiseLike<unknown> },
  {
    server_typing_started_wait_period_milliseconds: again = 30_000,
    server_typing_stopped_wait_period_milliseconds: idle = 12_000,
  }: TypingIntervals = {},
): TypingNotifier {
  /** The destination as JSON: it does not change with the object that was passed. */
  let typing: string | undefined;
  let due = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  // In sequence: if `stop` arrived before `start`, others would see a user typing who is not.
  let last: Promise<unknown> = Promise.resolve();
  const sendNotice = (op: 'start' | 'stop', destination: string) => {
    last = last
      .then(() => client.setTyping({ ...JSON.parse(destination), op }, { retries: 0, timeout: TIMEOUT }))
      .catch(() => {});
  };
  const stop = () => {
    clearTimeout(timer);
    if (typing) sendNotice('stop', typing);
    due = 0;
    typing = undefined;
  };
  return {
    stop,
    typed(destination) {
      const serialized = JSON.stringify(destination);
      if (serialized !== typing) stop();
      clearTimeout(timer);
      timer = setTimeout(stop, idle);
      typing = serialized;
      if (Date.now() < due) return;
      sendNotice('start', typing);
      due = Date.now() + again;
    },
  };
}
