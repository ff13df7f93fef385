import { expect, test } from 'vitest';
import { type Benchmarks, shownRows, summary } from '../src/model/benchmarks.ts';

const machine = {
  ...{
    cpu: 'Chip',
    cpus: 2,
    memory: '8 GiB',
    system: 'linux 6',
    node: 'v22.1.0',
    postgres: '17.2',
    settings: 'fsync on',
  },
};
const row = {
  name: 'send',
  compared: 'few against many',
  result: '1.01 times',
  bar: 'at most 1.10 times',
  figures: {},
};
const results: Benchmarks = {
  date: '2030-01-02T03:04:05Z',
  scale: 1,
  machine,
  rows: [
    { ...row, held: true, figures: { 'ms, few': 1234.5, how: 'slowly' } },
    { ...row, held: false },
    { ...row, bar: null, held: null },
  ],
};

test('the page of benchmarks says what was measured, when and on what, and how many thresholds were met', () => {
  expect(summary(results)).toEqual([
    '1 of 2 thresholds were met.',
    'Measured on 2030-01-02 on 2 × Chip with 8 GiB, linux 6.',
    'Node 22.1.0; PostgreSQL 17.2 with fsync on.',
  ]);
  expect(summary({ ...results, scale: 0.1 }).at(-1)).toBe('Sizes were scaled by 0.1.');
});

test('a row without a bar has no verdict', () => {
  expect(shownRows(results).map(({ verdict, bar }) => [verdict, bar])).toEqual([
    ['met', 'at most 1.10 times'],
    ['missed', 'at most 1.10 times'],
    ['', 'none'],
  ]);
  expect(shownRows(results)[0]?.figures).toBe('ms, few: 1,234.5; how: slowly');
});
