import type { Calls } from './generated/calls.ts';
import type { Params } from './types.ts';

type WithoutOp<Given> = Given extends unknown ? Omit<Given, 'op'> : never;
/** Where somebody is writing: the parameters of `setTyping` without `op`. */
export type TypingPlace = WithoutOp<Params<'setTyping'>>;

export interface TypingIntervals {
  server_typing_started_wait_period_milliseconds?: number | undefined;
  server_typing_stopped_wait_period_milliseconds?: number | undefined;
}

/** Milliseconds: a hint that takes longer comes too late, and would hold up the ones behind it. */
const PATIENCE = 10_000;

export interface TypingNotifier {
  /** Somebody pressed a key: tells the others, as often as they have to hear it. Another place ends the one before. */
  typed(place: TypingPlace): void;
  /** The message was sent or given up. */
  stop(): void;
}

/**
 * Tells others that somebody is writing, in the intervals that the server asks for. Failures are passed over: it is a hint.
 *
 * @param client - Who is writing.
 * @param intervals - What `registerQueue` or `stream.open()` gave. Absent: 30 and 12 seconds.
 * @since Feature level 237.
 * @see `/docs/guides/events/#who-is-typing` on your server
 */
export function createTypingNotifier(
  client: { setTyping(...given: Parameters<Calls['setTyping']>): PromiseLike<unknown> },
  {
    server_typing_started_wait_period_milliseconds: again = 30_000,
    server_typing_stopped_wait_period_milliseconds: idle = 12_000,
  }: TypingIntervals = {},
): TypingNotifier {
  /** The place as JSON: it does not change with the object that was given. */
  let typing: string | undefined;
  let due = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  // One after the other: who is told of the end before the beginning sees somebody type who does not.
  let last: Promise<unknown> = Promise.resolve();
  const sendNotice = (op: 'start' | 'stop', place: string) => {
    last = last
      .then(() => client.setTyping({ ...JSON.parse(place), op }, { retries: 0, timeout: PATIENCE }))
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
    typed(place) {
      const wanted = JSON.stringify(place);
      if (wanted !== typing) stop();
      clearTimeout(timer);
      timer = setTimeout(stop, idle);
      typing = wanted;
      if (Date.now() < due) return;
      sendNotice('start', typing);
      due = Date.now() + again;
    },
  };
}
