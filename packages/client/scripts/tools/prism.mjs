// A mock server that Prism makes of the document: each example of each response must be what it serves.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { JSON_TYPE, listOperations, listResponses, MULTIPART_TYPE, resolve } from '@parley/openapi/document';
import getPort from 'get-port';
import { endServer, waitUntilReady } from '../child-server.mjs';

/** Requests each example of the document from a mock server, and compares. */
export async function checkMocks(folder) {
  const document = JSON.parse(readFileSync(join(folder, 'openapi.json'), 'utf8'));
  const port = await getPort({ host: '127.0.0.1' });
  const url = `http://127.0.0.1:${port}`;
  const words = ['mock', 'openapi.json', '--port', String(port), '--host', '127.0.0.1'];
  const prism = spawn(join(folder, 'node_modules/.bin/prism'), words, {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    await waitUntilReady(`${url}/server_settings`, prism, 180);
    const problems = [];
    let examples = 0;
    for (const expected of listOperations(document).flatMap((entry) => listExpected(document, entry))) {
      examples += 1;
      const problem = await findProblem(url, expected);
      if (problem) problems.push(`${expected.operation} ${expected.status} ${expected.name}: ${problem}`);
    }
    return { name: 'Prism', done: `${examples} examples served`, problems };
  } finally {
    await endServer(prism);
  }
}

/** The examples of an operation, with a request that is valid: that of an example of success. */
function listExpected(document, entry) {
  const responses = listResponses(document, entry.operation);
  const success = Object.values(responses.find(({ status }) => status === '200')?.examples ?? {});
  const request = toRequest(document, entry, success.find((example) => example['x-request']) ?? {});
  return responses.flatMap(({ status, examples }) =>
    Object.entries(examples).map(([name, { value }]) => ({
      operation: entry.operation.operationId,
      status: Number(status),
      name,
      value,
      request,
    })),
  );
}

async function findProblem(url, { status, name, value, request: { address, ...init } }) {
  const headers = {
    ...init.headers,
    Authorization: `Basic ${btoa('hamlet@example.com:key')}`,
    Prefer: `code=${status}, example=${name}`,
  };
  const response = await fetch(url + address, { ...init, headers });
  const body = await response.json();
  if (response.status !== status) return `status ${response.status}: ${JSON.stringify(body).slice(0, 300)}`;
  return isDeepStrictEqual(body, value) ? undefined : `another body: ${JSON.stringify(body).slice(0, 300)}`;
}

function toRequest(document, { path, method, operation, parameters }, example) {
  const { params = {}, files = {} } = fill(example['x-request'] ?? {}, example['x-given'] ?? []);
  const rest = { ...params };
  const take = (name) => {
    const value = rest[name];
    delete rest[name];
    return value;
  };
  const filledPath = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(take(name) ?? 1)));
  const query = new URLSearchParams();
  for (const { name, in: where } of parameters)
    if (where === 'query' && name in rest) query.set(name, toText(take(name)));
  const address = query.size > 0 ? `${filledPath}?${query}` : filledPath;
  const types = Object.keys(resolve(document, operation.requestBody ?? {}).content ?? {});
  if (types.length === 0) return { method: method.toUpperCase(), address };
  if (types[0] !== JSON_TYPE && types.includes(MULTIPART_TYPE))
    return { method: method.toUpperCase(), address, body: toForm(rest, files) };
  const headers = { 'Content-Type': JSON_TYPE };
  return { method: method.toUpperCase(), address, headers, body: JSON.stringify(rest) };
}

const toText = (value) => (typeof value === 'string' ? value : JSON.stringify(value));

function toForm(fields, files) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, toText(value));
  for (const [name, base64] of Object.entries(files)) form.set(name, new Blob([Buffer.from(base64, 'base64')]), 'file');
  return form;
}

/** Puts what earlier calls returned in place of `$given.0.id`, as the tests of examples do. */
function fill(value, values) {
  if (typeof value === 'string') {
    const path = /^\$given\.(.+)$/.exec(value)?.[1];
    if (path === undefined) return value;
    const [n, ...keys] = path.split('.');
    return keys.reduce((node, key) => node?.[key], values[n]?.answers) ?? 1;
  }
  if (Array.isArray(value)) return value.map((item) => fill(item, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, values)]));
}
