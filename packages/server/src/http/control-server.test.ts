import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { type ControlServer, runOnServer, startControlServer } from './control-server.ts';

const opened: ControlServer[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

const directory = mkdtempSync(join(tmpdir(), 'parley-control-'));
const copy = mkdtempSync(join(tmpdir(), 'parley-control-'));
afterAll(() => {
  for (const one of [directory, copy]) rmSync(one, { recursive: true });
});

async function open(): Promise<ControlServer> {
  const one = await startControlServer(directory, async (task) => ({
    code: 0,
    stdout: [JSON.stringify(task)],
    stderr: [],
  }));
  opened.push(one);
  return one;
}

describe('the control server', () => {
  test('runs a task and returns its output', async () => {
    const { address } = await open();
    const task = { name: 'realm list', input: { text: 'ünïcödé' }, json: true };
    expect(await runOnServer(address, task, directory)).toEqual({
      code: 0,
      stdout: [JSON.stringify(task)],
      stderr: [],
    });
  });

  test('rejects requests without its token, and has no CORS headers', async () => {
    const { address } = await open();
    expect(await runOnServer({ ...address, token: 'guess' }, {}, directory)).toBeUndefined();
    const answer = await fetch(`http://127.0.0.1:${address.port}/run`, { method: 'POST', body: '{}' });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('runs no task for a process with a copy of the directory, and leaves no file in either', async () => {
    const { address } = await open();
    expect(await runOnServer(address, { name: 'realm list' }, copy)).toBeUndefined();
    expect(await runOnServer(address, { name: 'realm list' }, directory)).toBeDefined();
    expect([readdirSync(directory), readdirSync(copy)]).toEqual([[], []]);
  });

  test.each([undefined, '', '../parley.lock', '00000000-0000-0000-0000-000000000000'])(
    'runs no task without a proof in the directory: %s',
    async (proof) => {
      const { address } = await open();
      const headers = {
        Authorization: `Bearer ${address.token}`,
        ...(proof !== undefined && { 'Parley-Proof': proof }),
      };
      const answer = await fetch(`http://127.0.0.1:${address.port}/run`, { method: 'POST', headers, body: '{}' });
      expect(answer.status).toBe(409);
    },
  );

  test('has no other paths', async () => {
    const { address } = await open();
    const answer = await fetch(`http://127.0.0.1:${address.port}/`, {
      headers: { Authorization: `Bearer ${address.token}` },
    });
    expect(answer.status).toBe(404);
  });

  test('a stopped server is reported as absent, without an error', async () => {
    const { address, close } = await startControlServer(directory, async () => ({ code: 0, stdout: [], stderr: [] }));
    await close();
    expect(await runOnServer(address, {}, directory)).toBeUndefined();
  });
});
