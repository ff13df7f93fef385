import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SharedReads } from './shared-reads.ts';

/** Reads that end on request, in their order. */
function holdReads() {
  const open: { readonly key: string; readonly end: (value: string) => void; readonly fail: () => void }[] = [];
  const reads = new SharedReads<string, string>(
    (key) => new Promise((end, reject) => open.push({ key, end, fail: () => reject(new Error('no')) })),
  );
  const untilBegan = async (count: number) => {
    while (open.length < count) await setImmediate();
    return open[count - 1];
  };
  return { reads, open, untilBegan };
}

test('requests that arrive together share a read', async () => {
  const { reads, open, untilBegan } = holdReads();
  const got = Promise.all([reads.get('a'), reads.get('a'), reads.get('a')]);
  (await untilBegan(1))?.end('one');
  expect(await got).toEqual(['one', 'one', 'one']);
  expect(open).toHaveLength(1);
});

test('a request gets a read that began after it asked, also if another one is under way', async () => {
  const { reads, open, untilBegan } = holdReads();
  const first = reads.get('a');
  const underway = await untilBegan(1);
  const later = Promise.all([reads.get('a'), reads.get('a')]);
  await setImmediate();
  expect(open).toHaveLength(1);
  underway?.end('old');
  (await untilBegan(2))?.end('new');
  expect([await first, await later]).toEqual(['old', ['new', 'new']]);
  expect(open).toHaveLength(2);
});

test('a read does not wait for one of another key, nor for long for one that hangs', async () => {
  const { reads, untilBegan } = holdReads();
  const hanging = reads.get('a');
  const first = await untilBegan(1);
  const other = reads.get('b');
  (await untilBegan(2))?.end('b');
  expect(await other).toBe('b');
  const next = reads.get('a');
  (await untilBegan(3))?.end('a');
  expect(await next).toBe('a');
  first?.end('late');
  expect(await hanging).toBe('late');
});

test('a read that fails does so for its requests only', async () => {
  const { reads, untilBegan } = holdReads();
  const failing = [reads.get('a'), reads.get('a')].map((read) => expect(read).rejects.toThrow('no'));
  (await untilBegan(1))?.fail();
  await Promise.all(failing);
  const next = reads.get('a');
  (await untilBegan(2))?.end('yes');
  expect(await next).toBe('yes');
});
