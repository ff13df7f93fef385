/** Milliseconds before the try after this one: about twice as many each time, and never quite the same for two clients. */
export const backoff = (attempt: number): number => Math.min(125 * 2 ** attempt, 5_000) * (1 + Math.random());

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

/** Waits, until the signal is aborted at most: what is done next is told why. */
export const pause = (milliseconds: number, signal?: AbortSignal): Promise<unknown> =>
  within(
    milliseconds,
    signal,
    (ending) =>
      new Promise((resolve) => {
        ending.onabort = resolve;
      }),
  );
