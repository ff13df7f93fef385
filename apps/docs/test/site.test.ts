// Properties of the pages of the real document.
import { callerKinds } from '@parley/openapi/document';
import { describe, expect, test } from 'vitest';
import { findPageProblems } from '../src/build/page-problems.ts';
import { withoutInlineStyles } from '../src/build/without-inline-styles.ts';
import { site } from '../src/document.ts';
import { groupByOutcome } from '../src/model/permissions.ts';
import { operationUrl } from '../src/model/urls.ts';

describe.each(site.operations.map((page) => [page.id, page] as const))('%s', (_, page) => {
  test('has a summary, a description, a response, errors and three samples', () => {
    expect(page.summary).not.toBe('');
    expect(page.description).not.toBe('');
    expect(page.response.examples.length).toBeGreaterThan(0);
    expect(page.samples).toHaveLength(3);
    for (const { code, reasons } of page.errors) {
      expect(site.linkOf(code)).toBe(`/docs/errors/${code}/`);
      expect(reasons.length > 0, code).toBe(code === 'BAD_REQUEST');
    }
  });

  test('has a type for every parameter, and its sample sends only documented ones', () => {
    const fields = page.parameters.flatMap((group) => group.fields);
    for (const field of fields) expect(field.type).not.toBe('anything');
    expect(fields.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(page.call.params)));
  });
});

test('the page of every operation shows the result for every kind of account', () => {
  const of = (id: string) => groupByOutcome(site.operations.find((page) => page.id === id)?.permissions ?? []);
  for (const { permissions } of site.operations) expect(permissions.map(({ who }) => who)).toEqual(callerKinds);
  expect(of('getServerSettings')).toEqual([{ errorCode: undefined, who: callerKinds }]);
  expect(of('updateRealm')[0]).toEqual({ errorCode: undefined, who: ['owner', 'administrator'] });
  const isNot = (who: string) =>
    !['owner', 'administrator', 'deactivated', 'anonymous', 'of another organization'].includes(who);
  expect(of('updateRealm')[1]).toEqual({ errorCode: 'UNAUTHORIZED_PRINCIPAL', who: callerKinds.filter(isNot) });
  expect(of('deactivateBot')[1]).toEqual({ errorCode: 'BAD_REQUEST', who: callerKinds.filter(isNot) });
});

test('all events, objects and responses are recorded ones', () => {
  const events = site.events.flatMap(({ type, variants }) =>
    variants.flatMap(({ examples }) => examples.filter(({ made }) => made).map(() => type)),
  );
  const objects = site.objects.filter(({ example }) => example.made).map(({ name }) => name);
  const answers = site.operations
    .filter(({ response }) => response.examples.some(({ made }) => made))
    .map(({ id }) => id);
  expect({ events, objects, answers }).toEqual({ events: [], objects: [], answers: [] });
});

test('every error page shows a call that fails with the error', () => {
  const without = site.errors.filter(({ reproduction }) => reproduction === undefined).map(({ code }) => code);
  // These fail before there is an operation that could show them.
  expect(without).toEqual(['METHOD_NOT_ALLOWED']);
});

test('known inline styles become attributes, and unknown ones stay, so that the check finds them', () => {
  const page = '<a class="x" style="--depth: 0;">style="--depth: 0;"</a><i style="top: 0"></i>';
  expect(withoutInlineStyles(page)).toBe(
    '<a class="x" data-style="--depth: 0;">style="--depth: 0;"</a><i style="top: 0"></i>',
  );
});

test('every operation is in exactly one group', () => {
  const grouped = site.groups.flatMap(({ operations }) => operations.map(({ id }) => id));
  expect(grouped.toSorted()).toEqual(site.operations.map(({ id }) => id).toSorted());
  expect(operationUrl('x')).toBe('/docs/reference/x/');
});

describe('the check of the built pages', () => {
  const faults = (html: string) =>
    findPageProblems(
      new Map([
        ['/docs/index.html', html],
        ['/docs/a/index.html', '<h2 id="b">'],
      ]),
      (path) => path === '/docs/x.js',
    );

  test('finds inline scripts, handlers, foreign resources, missing files and broken links', () => {
    expect(faults('<script>1</script>')).toHaveLength(1);
    expect(faults('<a href="#" onclick="x()">')).toHaveLength(1);
    expect(faults('<p style="color: red">')).toHaveLength(1);
    expect(faults('<img src="https://elsewhere.example/x.png">')).toHaveLength(1);
    expect(faults('<script src="/docs/y.js"></script>')).toHaveLength(1);
    expect(faults('<a href="/docs/c/">')).toEqual(['/docs/index.html: dead link: /docs/c/']);
    expect(faults('<a href="/docs/a/#c">')).toHaveLength(1);
    expect(faults('<h2 id="c"></h2><h2 id="d"></h2><p data-id="d" id="c">')).toEqual([
      '/docs/index.html: more than one element has the id c',
    ]);
  });

  test('finds no problem in a valid page', () => {
    expect(faults('<script src="/docs/x.js"></script><a href="/docs/a/#b"></a><a href="/openapi.json"></a>')).toEqual(
      [],
    );
  });
});
