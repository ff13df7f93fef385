import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import express from 'express';
import { expect, test, vi } from 'vitest';
import { computeAdmissionLimits } from '../../core/admission-limits.ts';
import { createAdmission, waitForTurn, withoutTurn } from './index.ts';

test('requests whose bodies arrived with them begin no faster than others end', async () => {
  const limits = { ...computeAdmissionLimits(8), requests: { running: 1, waiting: 100 } };
  const admission = createAdmission({ connections: 8, kind: 'postgres' }, limits);
  /** Of the requests that began, in their order: they go on until they are called. */
  const ends: (() => void)[] = [];
  const app = express().use(async (req, res) => {
    await waitForTurn(admission, req, { caller: undefined, subdomain: undefined });
    const ended = new Promise<void>((resolve) => ends.push(resolve));
    const body = await withoutTurn(req, () => text(req));
    await ended;
    res.end(body);
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    const responses = Array.from({ length: 10 }, async (_, n) => {
      const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: `soup ${n}` });
      return response.text();
    });
    await vi.waitUntil(() => admission.requests.running + admission.requests.waiting === responses.length);
    for (let n = 1; n <= responses.length; n++) {
      expect(ends).toHaveLength(n);
      ends.at(-1)?.();
      await vi.waitUntil(() => admission.requests.running + admission.requests.waiting === responses.length - n);
      // What begins now gives its turn away within a few turns of the event loop, if at all.
      for (let turn = 0; turn < 10; turn++) await setImmediate();
    }
    expect(await Promise.all(responses)).toEqual(responses.map((_, n) => `soup ${n}`));
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
