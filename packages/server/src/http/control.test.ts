import { afterEach, describe, expect, test } from 'vitest';
import { askThrough, type OpenDoor, openDoor } from './control.ts';

const opened: OpenDoor[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

async function open(): Promise<OpenDoor> {
  const one = await openDoor(async (task) => ({ code: 0, stdout: [JSON.stringify(task)], stderr: [] }));
  opened.push(one);
  return one;
}

describe('the control door', () => {
  test('runs what is sent through it and gives back what was printed', async () => {
    const { door } = await open();
    const task = { name: 'realm list', input: { text: 'ünïcödé' }, json: true };
    expect(await askThrough(door, task)).toEqual({ code: 0, stdout: [JSON.stringify(task)], stderr: [] });
  });

  test('stays shut without its token, and tells a browser nothing', async () => {
    const { door } = await open();
    expect(await askThrough({ ...door, token: 'guess' }, {})).toBeUndefined();
    const answer = await fetch(`http://127.0.0.1:${door.port}/run`, { method: 'POST', body: '{}' });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('has nothing else behind it', async () => {
    const { door } = await open();
    const answer = await fetch(`http://127.0.0.1:${door.port}/`, {
      headers: { Authorization: `Bearer ${door.token}` },
    });
    expect(answer.status).toBe(404);
  });

  test('a server that is gone is no answer, not a failure', async () => {
    const { door, close } = await openDoor(async () => ({ code: 0, stdout: [], stderr: [] }));
    await close();
    expect(await askThrough(door, {})).toBeUndefined();
  });
});
