import { expect, test } from 'vitest';
import { packageOf, SHIPPED_PACKAGES, shippedProblem } from '../src/build/shipped-packages.ts';

test('the build fails for a package in the scripts of the pages that is not on the list, and for an unused entry', () => {
  expect(shippedProblem([...SHIPPED_PACKAGES].reverse())).toBeUndefined();
  expect(shippedProblem([...SHIPPED_PACKAGES, 'katex'])).toContain(
    'katex, minisearch: change SHIPPED_PACKAGES and NOTICE.',
  );
  expect(shippedProblem(SHIPPED_PACKAGES.slice(1))).toContain('change SHIPPED_PACKAGES');
});

test('the package of a module is the innermost folder of node_modules', () => {
  expect(packageOf('/repo/node_modules/@cfworker/json-schema/dist/esm/index.js')).toBe('@cfworker/json-schema');
  expect(packageOf('/repo/node_modules/astro/node_modules/nanoid/index.js?astro')).toBe('nanoid');
  expect(packageOf('C:\\repo\\node_modules\\astro\\index.js')).toBe('astro');
  expect(packageOf('/repo/apps/docs/src/browser/copy.ts')).toBeUndefined();
});
