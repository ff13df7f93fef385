import { expect, test } from 'vitest';
import { PreserializedItems, type PreserializedJson } from './preserialized-json.ts';

const users = Array.from({ length: 100 }, (_, n) => ({ id: n + 1, name: `Zoë 🦊 ${n}, "x"` }));
const list = new PreserializedItems(users, ({ id }) => id);
const read = (written: PreserializedJson<object>) => JSON.parse(String(Buffer.concat(written.pieces)));

test('all items of a list are one piece, and parse to the original items', () => {
  expect(read(list.all())).toEqual(users);
  expect(list.all().pieces).toHaveLength(3);
  expect(list.items()).toEqual(users);
  expect(JSON.parse(JSON.stringify({ list: list.all() }))).toEqual({ list: users });
});

test('some items of a list are in its order, whatever the order of the request', () => {
  expect(read(list.only(new Set([40, 2, 3, 777])))).toEqual([users[1], users[2], users[39]]);
  const odd = users.filter(({ id }) => id % 2 === 1);
  expect(read(list.only(new Set(odd.map(({ id }) => id))))).toEqual(odd);
  expect(read(list.only(new Set()))).toEqual([]);
});

test('an item in another form replaces the one in the list, if that is selected', () => {
  const other = { id: 3, name: 'Other' };
  const changed = list.all(new Map([[3, other]]));
  expect(read(changed)).toEqual(users.map((one) => (one.id === 3 ? other : one)));
  expect(changed.own).toEqual([other]);
  expect(read(list.only(new Set([2, 3]), new Map([[3, other]])))).toEqual([users[1], other]);
  expect(read(list.only(new Set([2]), new Map([[3, other]])))).toEqual([users[1]]);
  expect(list.only(new Set([2]), new Map([[3, other]])).own).toEqual([]);
});

test('an item is found by its id', () => {
  expect(list.item(7)).toEqual(users[6]);
  expect(list.item(100)).toEqual(users[99]);
  expect(list.item(101)).toBeUndefined();
});

test('an empty list parses to an empty list', () => {
  const none = new PreserializedItems<{ id: number }>([], ({ id }) => id);
  expect(read(none.all())).toEqual([]);
  expect(none.items()).toEqual([]);
});

test('a list has another version exactly if its JSON is another one', () => {
  const again = new PreserializedItems(users, ({ id }) => id);
  const other = new Map([[3, { id: 3, name: 'Other' }]]);
  const some = new Set([2, 3]);
  expect(again.all().version).toBe(list.all().version);
  expect(list.only(some, other).version).toBe(again.only(some, other).version);
  // An item that the list does not contain changes nothing.
  expect(list.only(new Set([2]), other).version).toBe(list.only(new Set([2])).version);
  const renamed = new PreserializedItems([{ id: 1, name: 'Ada' }, ...users.slice(1)], ({ id }) => id);
  const others = [list.all(), list.all(other), list.only(some), list.only(some, other), renamed.all()];
  expect(new Set(others.map(({ version }) => version)).size).toBe(others.length);
});
