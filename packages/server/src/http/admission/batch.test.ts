import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createBatch } from './batch.ts';

describe('a batch', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const LIMITS = { wait: 30, size: 4 };

  test('runs the tasks that come within its time together, in their order', () => {
    const add = createBatch(LIMITS);
    const ran: string[] = [];
    add(() => ran.push('a'));
    vi.advanceTimersByTime(20);
    add(() => ran.push('b'));
    vi.advanceTimersByTime(9);
    expect(ran).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(ran).toEqual(['a', 'b']);
  });

  test('runs at once when it is full, and begins again', () => {
    const add = createBatch(LIMITS);
    let ran = 0;
    const task = () => void ran++;
    add(task);
    vi.advanceTimersByTime(10);
    for (let n = 1; n < LIMITS.size; n++) add(task);
    expect(ran).toBe(4);
    add(task);
    vi.advanceTimersByTime(LIMITS.wait - 1);
    expect(ran).toBe(4);
    vi.advanceTimersByTime(1);
    expect(ran).toBe(5);
  });
});
