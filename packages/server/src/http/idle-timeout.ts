import type { Readable } from 'node:stream';

interface IdleHandlers {
  /** Called after each piece with the number of bytes so far. */
  received?(bytes: number): void;
  /** No bytes have arrived for `idleTimeoutMs` milliseconds. */
  onIdle(): void;
}

/** Watches arriving bytes until the returned function is called. */
export function watchIdle(stream: Readable, idleTimeoutMs: number, { received, onIdle }: IdleHandlers): () => void {
  let bytes = 0;
  const timer = setTimeout(onIdle, idleTimeoutMs);
  stream.on('data', (chunk: Buffer) => {
    timer.refresh();
    bytes += chunk.length;
    received?.(bytes);
  });
  return () => clearTimeout(timer);
}
