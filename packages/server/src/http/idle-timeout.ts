import type { Readable } from 'node:stream';

interface IdleHandlers {
  /** How many bytes there are so far, after each piece. */
  received?(bytes: number): void;
  /** Nothing has come for `patience` milliseconds. */
  onIdle(): void;
}

/** Watches what arrives until the function it gives is called. */
export function watchIdle(stream: Readable, patience: number, { received, onIdle }: IdleHandlers): () => void {
  let bytes = 0;
  const timer = setTimeout(onIdle, patience);
  stream.on('data', (chunk: Buffer) => {
    timer.refresh();
    bytes += chunk.length;
    received?.(bytes);
  });
  return () => clearTimeout(timer);
}
