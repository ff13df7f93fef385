// The guide has the generators and tools of `npm run generators`, at the same versions.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

test('the guide to generated clients lists the tested generators and tools, with their versions', () => {
  const tried = [
    ...read('packages/client/scripts/generators/generators.mjs').matchAll(/packages: \[\s*(?:\.\.\.\[)?'([^']+)'/g),
    ...read('packages/client/scripts/tools/run.mjs').matchAll(/'(@stoplight\/[^']+)'/g),
  ];
  const listed = [...read('apps/docs/src/content/docs/guides/generated-clients.mdx').matchAll(/^\| `([^`]+)` \|/gm)];
  const names = (matches: RegExpMatchArray[]) => matches.map(([, name]) => name).sort();
  expect(names(listed)).toEqual(names(tried));
  expect(listed).not.toHaveLength(0);
});

test('the command of the guide installs what was tested', () => {
  const [, packages = ''] =
    /name: 'hey-api',\s*packages: \[([^\]]*)\]/.exec(read('packages/client/scripts/generators/generators.mjs')) ?? [];
  const installed = [...packages.matchAll(/'([^']+)'/g)].map(([, name]) => `-p ${name}`);
  expect(installed).toHaveLength(2);
  const guide = read('apps/docs/src/content/docs/guides/generated-clients.mdx');
  expect(guide).toContain(`npx ${installed.toReversed().join(' ')} openapi-ts -i openapi.json`);
});
