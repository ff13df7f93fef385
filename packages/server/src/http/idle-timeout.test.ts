import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchIdle } from './idle-timeout.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watched() {
  const stream = new PassThrough();
  const seen: (number | string)[] = [];
  const unwatch = watchIdle(stream, 100, {
    received: (bytes) => seen.push(bytes),
    onIdle: () => seen.push('still'),
  });
  return { stream, seen, unwatch };
}

test('a slow body does not time out, and one without new bytes does', () => {
  const { stream, seen } = watched();
  for (let n = 1; n <= 5; n++) {
    vi.advanceTimersByTime(99);
    stream.emit('data', Buffer.from('soup'));
  }
  vi.advanceTimersByTime(99);
  expect(seen).toEqual([4, 8, 12, 16, 20]);
  vi.advanceTimersByTime(1);
  expect(seen.at(-1)).toBe('still');
});

test('a finished body does not time out', () => {
  const { seen, unwatch } = watched();
  unwatch();
  vi.advanceTimersByTime(1000);
  expect(seen).toEqual([]);
});
