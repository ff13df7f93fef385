// Large responses, in parts between which other requests have their turn.
import type { ServerResponse } from 'node:http';
import { createYield } from '../core/slices.ts';

/** Bytes that are written at once. A write of 8 MiB kept the event loop from everything else for 20 ms. */
export const SLICE_BYTES = 128 * 1024;

/**
 * Sends pieces of a response whose headers are set. A part is written when the operating system has accepted those
 * before it, so no more than one waits for a client that does not read.
 */
export async function sendInSlices(res: ServerResponse, pieces: readonly (string | Buffer)[]): Promise<void> {
  const waitForOthers = createYield();
  for (const slice of toSlices(pieces)) {
    res.cork();
    for (const piece of slice) res.write(piece);
    res.uncork();
    if (res.writableNeedDrain) await drained(res);
    await waitForOthers();
    // The client has left.
    if (res.destroyed) return;
  }
  res.end();
}

/** The same bytes in groups of at most `SLICE_BYTES`. */
function* toSlices(pieces: readonly (string | Buffer)[]): Generator<Buffer[]> {
  let slice: Buffer[] = [];
  let room = SLICE_BYTES;
  for (const piece of pieces) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + room);
      slice.push(part);
      at += part.length;
      room -= part.length;
      if (room > 0) continue;
      yield slice;
      slice = [];
      room = SLICE_BYTES;
    }
  }
  if (slice.length > 0) yield slice;
}

function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      res.off('drain', end).off('close', end);
      resolve();
    };
    res.on('drain', end).on('close', end);
  });
}
