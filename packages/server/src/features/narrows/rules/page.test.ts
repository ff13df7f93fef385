import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countWithin } from '../../../core/response-size.ts';
import { fewest, pageWithout, sortByDistance, toMessagePage, toPageWindow } from './page.ts';

interface Sized {
  readonly id: number;
  readonly size: number;
}
type PageParams = Parameters<typeof toPageWindow>[0];
const ROOM = 100;

/** The page within the size limit of a response. */
function pageFor(messages: readonly Sized[], params: PageParams) {
  const { before, num_before, at, after, num_after } = toPageWindow(params);
  const ids = messages.map(({ id }) => id);
  const older = ids.filter((id) => id < before);
  const found = [
    ...older.slice(Math.max(older.length - num_before, 0)),
    ...ids.filter((id) => id === at),
    ...ids.filter((id) => id > after).slice(0, num_after),
  ];
  const page = toMessagePage(
    [...new Set(found)].sort((one, other) => one - other),
    params,
  );
  const order = sortByDistance(page.ids, params.anchor);
  const sizes = order.map((id) => messages.find((message) => message.id === id)?.size ?? 0);
  const taken = countWithin(sizes, ROOM, fewest(page.ids, params.anchor));
  return pageWithout(page, new Set(order.slice(taken)));
}

/** The messages that a client gets by paging in one direction until `found_oldest` or `found_newest` is true. */
function follow(
  messages: readonly Sized[],
  side: 'before' | 'after',
  params: Omit<PageParams, 'num_before' | 'num_after'>,
  n: number,
) {
  const seen = new Set<number>();
  let anchor = params.anchor;
  for (let pages = 0; pages <= messages.length + 1; pages++) {
    const nums = side === 'before' ? { num_before: n, num_after: 0 } : { num_before: 0, num_after: n };
    const page = pageFor(messages, { ...params, ...nums, anchor });
    for (const id of page.ids) seen.add(id);
    if (side === 'before' ? page.found_oldest : page.found_newest) return seen;
    anchor = (side === 'before' ? page.ids.at(0) : page.ids.at(-1)) ?? anchor;
  }
  throw new Error('The client makes no progress.');
}

const messages = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 150 })), { maxLength: 40 })
  .map((steps) => {
    let id = 0;
    return steps.map(([step, size]) => {
      id += step;
      return { id, size };
    });
  });

test('a client that pages by anchor gets every message, for any sizes and any page length', () =>
  fc.assert(
    fc.property(
      messages,
      fc.integer({ min: 0, max: 220 }),
      fc.integer({ min: 1, max: 20 }),
      fc.boolean(),
      (all, anchor, n, include_anchor) => {
        const older = all.filter(({ id }) => id < anchor || (include_anchor && id === anchor)).map(({ id }) => id);
        const newer = all.filter(({ id }) => id > anchor || (include_anchor && id === anchor)).map(({ id }) => id);
        const params = { anchor, include_anchor };
        expect([...follow(all, 'before', params, n)].sort((one, other) => one - other)).toEqual(older);
        expect([...follow(all, 'after', params, n)].sort((one, other) => one - other)).toEqual(newer);
      },
    ),
    { numRuns: 500 },
  ));

test('a truncated page has no gap, includes its anchor, and exceeds the limit only if it could not have fewer messages', () =>
  fc.assert(
    fc.property(
      messages,
      fc.integer({ min: 0, max: 220 }),
      fc.nat(20),
      fc.nat(20),
      (all, anchor, num_before, num_after) => {
        const params = { anchor, num_before, num_after, include_anchor: true };
        const { ids, found_oldest, found_newest, found_anchor } = pageFor(all, params);
        const [first = 0, last = 0] = [ids.at(0), ids.at(-1)];
        expect(ids).toEqual(all.map(({ id }) => id).filter((id) => id >= first && id <= last));
        expect(found_anchor).toBe(all.some(({ id }) => id === anchor));
        if (found_anchor) expect(ids).toContain(anchor);
        if (ids.length > 0) {
          expect(found_oldest && first > (all[0]?.id ?? 0)).toBe(false);
          expect(found_newest && last < (all.at(-1)?.id ?? 0)).toBe(false);
        }
        const size = all.filter(({ id }) => ids.includes(id)).reduce((sum, one) => sum + one.size, 0);
        if (ids.length > 3) expect(size).toBeLessThanOrEqual(ROOM);
      },
    ),
    { numRuns: 500 },
  ));
