import type { Logger } from '../../core/log.ts';

/** Runs `work` at an interval, never twice at once. A failure is logged, and the next turn tries again. */
export function setSerialInterval(ms: number, work: () => Promise<void>, log: Logger): NodeJS.Timeout {
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    work()
      .catch((error) => log.error({ err: error }, 'the event log cannot be read'))
      .finally(() => {
        busy = false;
      });
  }, ms);
  timer.unref();
  return timer;
}
