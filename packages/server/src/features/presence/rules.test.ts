import { describe, expect, test } from 'vitest';
import type { Presence } from './queries.ts';
import { isChange, toOfflinePresence, toOnlinePresence } from './rules.ts';

const now = new Date('2026-01-05T09:00:00Z');
const ago = (seconds: number): Date => new Date(now.getTime() - seconds * 1000);
const there = (connected: number, active?: number): Presence => ({
  status: connected === active ? 'active' : 'idle',
  last_active_at: active === undefined ? null : ago(active),
  last_connected_at: ago(connected),
});

describe('a ping is a change', () => {
  test.each<[string, Presence | undefined, Presence['status'], boolean]>([
    ['the first one', undefined, 'idle', true],
    ['active, a moment after active', there(1, 1), 'active', false],
    ['active, 54 seconds after active', there(54, 54), 'active', false],
    ['active, an interval after active', there(55, 55), 'active', true],
    ['active, a moment after idle', there(1), 'active', true],
    ['active, a moment after idle and long after active', there(1, 300), 'active', true],
    ['active, of a clock that is behind', there(-3, -3), 'active', false],
    ['idle, a moment after idle', there(1), 'idle', false],
    ['idle, an interval after idle', there(55), 'idle', true],
    ['idle, while another device may be active still', there(60, 60), 'idle', false],
    ['idle, when no device is active any more', there(70, 70), 'idle', true],
  ])('%s: %#', (_case, presence, status, expected) => {
    expect(isChange({ is_shown: true, presence }, status, now)).toBe(expected);
    expect(isChange({ is_shown: false, presence }, status, now)).toBe(false);
  });
});

test('an active user is connected; an idle one keeps the time of last activity', () => {
  expect(toOnlinePresence(now, 'active', there(1))).toEqual(there(0, 0));
  expect(toOnlinePresence(now, 'idle', there(90, 90))).toEqual(there(0, 90));
  expect(toOnlinePresence(now, 'idle', undefined)).toEqual(there(0));
});

test('a user who disables presence is offline at once, and not active later than before', () => {
  const idle = { status: 'idle' };
  expect(toOfflinePresence(now, there(0, 0))).toEqual({ ...there(205, 205), ...idle });
  expect(toOfflinePresence(now, there(0, 3000))).toEqual({ ...there(205, 3000), ...idle });
  expect(toOfflinePresence(now, there(2000, 2000))).toEqual({ ...there(2000, 2000), ...idle });
  expect(toOfflinePresence(now, there(2000))).toEqual(there(2000));
  expect(toOfflinePresence(now, undefined)).toEqual(there(205));
});
