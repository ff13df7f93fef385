import { expect, test } from 'vitest';
import { atLeast, atMost, counted, equal, failed, ms, printRow, TIMES } from './measurement.ts';
import { picture } from './picture.ts';
import { table } from './report.ts';
import type { Results } from './results.ts';
import { inTurns, median, percentile } from './times.ts';

const one = { compared: 'a against b', limit: 1.1, unit: TIMES };

test('a threshold is met by an equal value, and missed by a larger one', () => {
  expect(atMost({ ...one, value: 1.1 })).toMatchObject({ held: true, result: '1.10 times', bar: 'at most 1.10 times' });
  expect(atMost({ ...one, value: 1.11 }).held).toBe(false);
  expect(atMost({ ...one, value: 0, limit: 0 })).toMatchObject({ held: true, used: 0 });
  expect(atLeast({ ...one, value: 85, limit: 85, unit: ' %' })).toMatchObject({ held: true, bar: 'at least 85 %' });
  expect(atLeast({ ...one, value: 84.9, limit: 85, unit: ' %' }).held).toBe(false);
  expect(equal('rows', [4, 4]).held).toBe(true);
  expect(equal('rows', [5, 4])).toMatchObject({ held: false, result: '5 and 4' });
  expect(failed(new Error('no luck'))).toMatchObject({ held: false, compared: 'no luck' });
  expect(printRow('time', '3 ms').held).toBeNull();
});

test('a missing figure never meets a threshold', () => {
  expect(atMost({ ...one, value: Number.NaN }).held).toBe(false);
  expect(atLeast({ ...one, value: Number.NaN }).held).toBe(false);
});

test('numbers have their shortest readable form', () => {
  expect([ms(7.8915), ms(1234.5), ms(12_345)]).toEqual(['7.89 ms', '1,235 ms', '12.3 s']);
  expect([counted(1, 'stream'), counted(10_000, 'message')]).toEqual(['1 stream', '10,000 messages']);
});

test('variants take turns at going first', async () => {
  const order: string[] = [];
  const variant = (name: string) => async (round: number) => {
    order.push(name);
    return round;
  };
  expect(await inTurns(3, { a: variant('a'), b: variant('b') })).toEqual({ a: [0, 1, 2], b: [0, 1, 2] });
  expect(order.join('')).toBe('abbaab');
  expect([median([3, 1, 2]), percentile([5, 1], 0.99)]).toEqual([2, 5]);
});

test('table and picture show how many thresholds were met, and which were missed', () => {
  const machine = {
    cpu: 'Chip <9>',
    cpus: 2,
    memory: '8 GiB',
    system: 'linux',
    node: 'v20',
    postgres: '15',
    settings: '',
  };
  const rows = [atMost({ ...one, value: 2 }), equal('rows', [4, 4]), printRow('time', '3 ms')];
  const results: Results = {
    date: '2030-01-02T03:04:05Z',
    scale: 1,
    machine,
    rows: rows.map((row) => ({ name: 'x', ...row })),
  };
  expect(table(results)).toMatch(/a against b +2\.00 times +at most 1\.10 times +MISSED/);
  const drawn = picture(results);
  expect(drawn).toContain('1 of 2 thresholds met');
  expect(drawn).toContain('2.00 times, missed');
  expect(drawn).toContain('Chip &lt;9&gt;');
});
