import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { expect, onTestFinished, test } from 'vitest';
import { PartlySerializedResponse, PreserializedFields } from '../core/preserialized-fields.ts';
import { PreserializedItems } from '../core/preserialized-json.ts';
import { ByteQuota } from './byte-quota.ts';
import { envelope, success } from './envelope.ts';

/** The text of a response with this body. */
async function textOf(body: object): Promise<string> {
  const MiB = 1024 * 1024;
  const responseBytes = new ByteQuota({ process: MiB, account: MiB, address: MiB, guaranteed: MiB });
  const app = express().use(envelope({ responseBytes, idleTimeoutMs: 1_000 }), (_req, res) => void res.json(body));
  const server = app.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const text = await response.text();
  expect(Number(response.headers.get('Content-Length'))).toBe(Buffer.byteLength(text));
  return text;
}

const items = new PreserializedItems([{ id: 1, name: 'é' }], ({ id }) => id);
const statuses = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [n, { status_text: `“${n}”` }]));
const shared = [
  new PreserializedFields({ statuses }),
  new PreserializedFields({ realm_name: 'Nest “é”', limit: 5 }),
  new PreserializedFields({}),
  new PreserializedFields({ emoji: { a: [1] } }),
];

test.each<[string, object]>([
  ['nothing', {}],
  ['fields', { queue_id: 'a', last: 1, absent: undefined }],
  ['a preserialized list as the last one', { queue_id: 'a', list: items.all() }],
])('a response with preserialized fields beside %s is sent whole', async (_, own) => {
  const text = await textOf(success(new PartlySerializedResponse(own, shared), []));
  const { absent: _absent, ...expected } = { ...own } as Record<string, unknown>;
  expect(JSON.parse(text)).toEqual({
    ...{ result: 'success', msg: '', statuses, realm_name: 'Nest “é”', limit: 5, emoji: { a: [1] } },
    ...expected,
    ...('list' in own && { list: [{ id: 1, name: 'é' }] }),
  });
  expect(text.endsWith('}\n')).toBe(true);
});

test('a response with preserialized fields names the parameters that were ignored, and is stored whole', () => {
  const body = success(new PartlySerializedResponse({ queue_id: 'a' }, shared), ['mystery']);
  expect(JSON.parse(JSON.stringify(body))).toEqual({
    ...{ result: 'success', msg: '', queue_id: 'a', ignored_parameters_unsupported: ['mystery'] },
    ...{ statuses, realm_name: 'Nest “é”', limit: 5, emoji: { a: [1] } },
  });
});
