/** Milliseconds before the next try: about twice as many each time, and never quite the same for two clients. */
export const backoff = (failures: number): number => Math.min(500 * 2 ** failures, 10_000) * (0.5 + Math.random() / 2);

/** Does work that is ended by the signal, or when the time is up. */
export async function within<T>(
  milliseconds: number,
  signal: AbortSignal | undefined,
  work: (ending: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  // `AbortSignal.any` would do, but on some versions of Node it forgets its timeout, on others nothing at all.
  const own = new AbortController();
  const end = () => own.abort(signal?.reason);
  // More than timers can count would be over at once.
  const timer = setTimeout(end, Math.min(milliseconds, 2 ** 31 - 1));
  signal?.addEventListener('abort', end);
  try {
    return await work(own.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}

/** Waits; rejects with the reason of the signal when it is aborted. */
export const pause = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  within(
    milliseconds,
    signal,
    (ending) =>
      new Promise((resolve, reject) => {
        ending.onabort = () => (signal?.aborted ? reject(signal.reason) : resolve());
      }),
  );
