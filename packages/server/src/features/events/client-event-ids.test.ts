import { describe, expect, test } from 'vitest';
import { assignClientIds, parseClientId, toClientId } from './client-event-ids.ts';
import { SizedDelivery } from './sized-delivery.ts';

const SPAN = 65_536;

describe('event ids as clients receive them', () => {
  test.each([
    ['before everything', 0, { log_id: 0, nth: 0 }],
    ['an event of the log', 3 * SPAN, { log_id: 3, nth: 0 }],
    ['the second ephemeral event after it', 3 * SPAN + 2, { log_id: 3, nth: 2 }],
    ['the last one that has room', 4 * SPAN - 1, { log_id: 3, nth: SPAN - 1 }],
    ['the largest id there is', Number.MAX_SAFE_INTEGER, { log_id: 2 ** 37 - 1, nth: SPAN - 1 }],
  ])('%s', (_case, id, position) => {
    expect(parseClientId(id)).toEqual(position);
    expect(toClientId(position)).toBe(id);
  });

  test('an id before the first one is a position before the log', () => {
    expect(parseClientId(-1).log_id).toBeLessThan(0);
  });
});

describe('numbering the events of a response', () => {
  const event = (id: number) => new SizedDelivery({ type: 'heartbeat', id }, 0);
  const ids = (after: number, found: { events?: number[]; scanned: number; ephemeral?: number }) =>
    assignClientIds(after, {
      events: (found.events ?? []).map(event),
      scanned: found.scanned,
      ephemeral: Array.from({ length: found.ephemeral ?? 0 }, () => event(99)),
    }).map(({ id }) => id);

  test.each([
    ['nothing', 5 * SPAN, { scanned: 5 }, []],
    ['events of the log', 5 * SPAN, { events: [6, 8], scanned: 9 }, [6 * SPAN, 8 * SPAN]],
    [
      'ephemeral ones at the same place of the log',
      5 * SPAN,
      { scanned: 5, ephemeral: 2 },
      [5 * SPAN + 1, 5 * SPAN + 2],
    ],
    ['more of them go on counting', 5 * SPAN + 2, { scanned: 5, ephemeral: 1 }, [5 * SPAN + 3]],
    ['behind events of the log', 5 * SPAN + 2, { events: [6], scanned: 6, ephemeral: 1 }, [6 * SPAN, 6 * SPAN + 1]],
    ['behind what the log had for others', 5 * SPAN + 2, { scanned: 9, ephemeral: 1 }, [9 * SPAN + 1]],
    ['none when there is no room', 6 * SPAN - 1, { scanned: 5, ephemeral: 3 }, []],
    ['as many as there is room for', 6 * SPAN - 2, { scanned: 5, ephemeral: 3 }, [6 * SPAN - 1]],
    ['room again once the log went on', 6 * SPAN - 1, { scanned: 6, ephemeral: 1 }, [6 * SPAN + 1]],
  ])('%s', (_case, after, found, expected) => {
    const got = ids(after, found);
    expect(got).toEqual(expected);
    expect([after, ...got]).toEqual([...new Set([after, ...got])].sort((one, other) => one - other));
  });
});
