import { expect, test } from 'vitest';
import { NamedValues } from './named-values.ts';

test('a name that was not set is not a field, whatever objects inherit elsewhere', () => {
  const values = new NamedValues();
  for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) expect(name in values).toBe(false);
});

test('every name can be set, and is a field of its own', () => {
  const values = new NamedValues();
  for (const name of ['constructor', '__proto__', 'topic']) values[name] = `the ${name}`;
  expect(Object.entries(values)).toEqual([
    ['constructor', 'the constructor'],
    ['__proto__', 'the __proto__'],
    ['topic', 'the topic'],
  ]);
});
