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

test('a body that is slow is waited for, one that stands still is not', () => {
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

test('of a body that is done nobody is told that it stands still', () => {
  const { seen, unwatch } = watched();
  unwatch();
  vi.advanceTimersByTime(1000);
  expect(seen).toEqual([]);
});
