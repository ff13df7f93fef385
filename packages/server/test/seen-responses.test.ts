// The check that ends a whole run: documented responses that no test has seen.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const script = new URL('../scripts/unseen-responses.mjs', import.meta.url).href;
const { listUnseenResponses } = (await import(script)) as {
  listUnseenResponses(document: object, folders: string[], source?: object): string[];
};

const folder = mkdtempSync(join(tmpdir(), 'parley-seen-'));
beforeEach(() => mkdirSync(folder, { recursive: true }));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const code = (name: string) => ({ properties: { code: { const: name } } });
const document = {
  paths: {
    '/soups': {
      parameters: [],
      get: { operationId: 'getSoups', responses: { 200: json({}), 429: { $ref: '#/components/responses/Often' } } },
      post: {
        operationId: 'addSoup',
        responses: {
          200: json({}),
          400: {
            ...json({ oneOf: [{ $ref: '#/components/schemas/Cold' }, code('SALTY'), code('BAD_REQUEST')] }),
            'x-reasons': ['invalid', 'conflict'],
          },
        },
      },
    },
  },
  components: { responses: { Often: json(code('RATE_LIMIT_HIT')) }, schemas: { Cold: code('COLD') } },
};

test('responses that no process has seen are listed, with their operation, status and reason', () => {
  writeFileSync(join(folder, '1'), 'getSoups 200 success\ngetSoups 429 RATE_LIMIT_HIT\n');
  writeFileSync(join(folder, '2'), 'addSoup 400 COLD\naddSoup 404 SALTY\naddSoup 400 BAD_REQUEST invalid\n');
  expect(listUnseenResponses(document, [folder])).toEqual([
    'addSoup 200 success',
    'addSoup 400 SALTY',
    'addSoup 400 BAD_REQUEST conflict',
  ]);
});

test('reasons that only the generated document lists need not be seen', () => {
  writeFileSync(join(folder, '1'), 'addSoup 200 success\naddSoup 400 COLD\naddSoup 400 SALTY\n');
  const source = structuredClone(document);
  source.paths['/soups'].post.responses[400]['x-reasons'] = ['conflict'];
  expect(listUnseenResponses({ ...document, paths: withoutGet() }, [folder], source)).toEqual([
    'addSoup 400 BAD_REQUEST conflict',
  ]);
});

test('without a reason of its own an operation must still return BAD_REQUEST once, for any reason', () => {
  const source = structuredClone(document) as { paths: { '/soups': { post: { responses: { 400: object } } } } };
  Object.assign(source.paths['/soups'].post.responses[400], { 'x-reasons': [] });
  writeFileSync(join(folder, '1'), 'addSoup 200 success\naddSoup 400 COLD\naddSoup 400 SALTY\n');
  const generated = { ...document, paths: withoutGet() };
  expect(listUnseenResponses(generated, [folder], source)).toEqual(['addSoup 400 BAD_REQUEST']);
  writeFileSync(join(folder, '2'), 'addSoup 400 BAD_REQUEST invalid\n');
  expect(listUnseenResponses(generated, [folder], source)).toEqual([]);
});

function withoutGet() {
  const { post, parameters } = document.paths['/soups'];
  return { '/soups': { parameters, post } };
}
