/** Milliseconds before the next attempt: about twice as many each time, with random jitter. */
export const backoff = (attempt: number): number => Math.min(125 * 2 ** attempt, 5_000) * (1 + Math.random());

/** Runs work until it ends, the signal is aborted, or the time is up. */
export async function within<T>(
  milliseconds: number,
  signal: AbortSignal | undefined,
  work: (ending: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  // Not `AbortSignal.any`: some versions of Node drop its timeout, and others never release it.
  const own = new AbortController();
  const end = () => own.abort(signal?.reason);
  const late = () => own.abort(new DOMException(`none within ${milliseconds} ms`, 'TimeoutError'));
  // Timers fire at once for larger values.
  const timer = setTimeout(late, Math.min(milliseconds, 2 ** 31 - 1));
  signal?.addEventListener('abort', end);
  try {
    return await work(own.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}

/**
 * Waits until the time is up or the signal is aborted, whichever comes first. The caller's next step observes the
 * signal.
 */
export const pause = (milliseconds: number, signal?: AbortSignal): Promise<unknown> =>
  within(
    milliseconds,
    signal,
    (ending) =>
      new Promise((resolve) => {
        ending.onabort = resolve;
      }),
  );
