import { expect, test } from 'vitest';
import { SerializedList } from './serialized-items.ts';

const users = Array.from({ length: 100 }, (_, n) => ({ id: n + 1, name: `Zoë 🦊 ${n}, "x"` }));

test('a list of serialized items parses to the items', () => {
  for (const count of [0, 1, 100]) {
    const items = users.slice(0, count);
    const { pieces } = new SerializedList(items.map((item) => [Buffer.from(JSON.stringify(item))]));
    expect(JSON.parse(String(Buffer.concat(pieces)))).toEqual(items);
  }
});

test('large items are sent without a copy, and small ones between them are joined', () => {
  const item = (size: number) => [Buffer.from(JSON.stringify('a'.repeat(size)))];
  const large = item(100_000);
  const { pieces } = new SerializedList([item(10), item(20), large, item(30), large, ...Array(100).fill(item(1_000))]);
  expect(pieces.filter((piece) => piece === large[0])).toHaveLength(2);
  expect(pieces).toHaveLength(6);
  expect(JSON.parse(String(Buffer.concat(pieces)))).toHaveLength(105);
});

test('items can be strings between others in pieces, and long lists of them are joined in parts', () => {
  const items = Array.from({ length: 3_000 }, (_, id) => ({ id, text: 'é'.repeat(id % 50) }));
  const list = new SerializedList(
    items.map((item, n) => (n % 100 === 7 ? [Buffer.from(JSON.stringify(item))] : JSON.stringify(item))),
  );
  expect(list.toJSON()).toEqual(items);
  expect(list.pieces.every(({ length }) => length < 128 * 1024)).toBe(true);
});

test('a list of texts has another version if its JSON is another one', () => {
  const listOf = (name: string) => new SerializedList([[Buffer.from(JSON.stringify({ name }))]]);
  expect(listOf('a').version).toBe(listOf('a').version);
  expect(listOf('a').version).not.toBe(listOf('b').version);
});
