import type { Readable } from 'node:stream';

interface Watching {
  /** How many bytes there are so far, after each piece. */
  received?(bytes: number): void;
  /** Nothing has come for `patience` milliseconds. */
  stoodStill(): void;
}

/** Watches what arrives until the function it gives is called. */
export function watch(stream: Readable, patience: number, { received, stoodStill }: Watching): () => void {
  let bytes = 0;
  const timer = setTimeout(stoodStill, patience);
  stream.on('data', (chunk: Buffer) => {
    timer.refresh();
    bytes += chunk.length;
    received?.(bytes);
  });
  return () => clearTimeout(timer);
}
