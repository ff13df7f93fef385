import { describe, expect, test } from 'vitest';
import { PathTable } from './path-table.ts';

const table = new PathTable([
  ['/users/{user_id}', 'one'],
  ['/users/{email}', 'never'],
  ['/users/me', 'own'],
  ['/users/{user_id}/streams/{stream_id}', 'both'],
]);

describe('a path', () => {
  test('without parameters comes before those with parameters', () => {
    expect(table.find('/users/me')).toEqual({ value: 'own', params: {} });
  });

  test('has its parameters, decoded', () => {
    expect(table.find('/users/7/streams/a%2Fb%20c')).toEqual({
      value: 'both',
      params: { user_id: '7', stream_id: 'a/b c' },
    });
  });

  test('with parameters is the first that fits', () => {
    expect(table.find('/users/7')).toEqual({ value: 'one', params: { user_id: '7' } });
  });

  test.each(['/users', '/users/', '/users/7/', '/Users/me', '//users/me', '/users/7/streams', '/users/me/', '', '*'])(
    'is not found as %s',
    (path) => expect(table.find(path)).toBeUndefined(),
  );

  test('that cannot be decoded is an error', () => {
    expect(() => table.find('/users/%ff')).toThrow(URIError);
  });
});

test('a parameter that is a part of a segment is an error', () => {
  expect(() => new PathTable([['/files/{name}.json', 1]])).toThrow('whole segment');
});
