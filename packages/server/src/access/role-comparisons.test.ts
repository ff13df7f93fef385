import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

test('no other source file compares the numbers of roles', () => {
  const folder = fileURLToPath(new URL('..', import.meta.url));
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.startsWith('access/'),
  );
  expect(sources.length).toBeGreaterThan(300);
  const comparison = /\brole\b\s*(=|<>|[<>]=?|===|!==)\s*\d/;
  expect(sources.filter((path) => comparison.test(readFileSync(`${folder}${path}`, 'utf8')))).toEqual([]);
});
