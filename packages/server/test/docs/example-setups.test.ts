// The first call of every console in the documentation: on a demo it succeeds as in its example.
import { readFileSync } from 'node:fs';
import { routes } from '@parley/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConsoleData } from '../../../../apps/docs/src/model/console.ts';
import { runSetup, type SetupOptions } from '../../../../apps/docs/src/model/example-setup.ts';
import type { SampleCall } from '../../../../apps/docs/src/model/samples.ts';
import { requestOf } from '../../../../apps/docs/src/model/send.ts';
import { type ChangingDemo, startChangingDemo } from '../changing-demo.ts';
import { type Demo, startDemo } from '../demo.ts';
import { picture } from '../pictures.ts';

const consoleOf = (id: string): ConsoleData =>
  JSON.parse(readFileSync(new URL(`../../../../apps/docs/dist/reference/${id}.json`, import.meta.url), 'utf8'));

/** Ids then differ from those of the recording, because the demo was used before. */
async function useBefore(demo: Demo): Promise<void> {
  const message = { type: 'stream', to: 'general', topic: 'before', content: 'Hello.' };
  await demo.call({ operation: 'sendMessage', params: message });
  await demo.call({ operation: 'createUserGroup', params: { name: 'early birds', description: '', members: [] } });
}

const settingOf = ({ url, demoUsers }: Demo): SetupOptions => ({
  server: url,
  loginOf(name) {
    const person = demoUsers.find((one) => one.name.toLowerCase() === name);
    return person && { email: person.email, apiKey: person.api_key };
  },
  confirmCall: async () => true,
});

/** A demo that was used before, for the consoles that only read. */
let reading: Demo;
/** For the consoles that write, a demo that was used before and is new for each: what one removes, others need. */
let writing: ChangingDemo;
beforeAll(async () => {
  reading = await startDemo();
  await useBefore(reading);
  writing = await startChangingDemo(useBefore);
});
afterAll(async () => {
  await reading.close();
  await writing.close();
});

const demoFor = async (id: keyof typeof routes): Promise<Demo> =>
  routes[id].method === 'GET' ? { ...reading, close: async () => {} } : writing.restart();

// What an operator prepares, users cannot prepare from a page.
test.each((Object.keys(routes) as (keyof typeof routes)[]).filter((id) => id !== 'createUser'))(
  'the console of %s can carry out its example',
  async (id) => {
    const demo = await demoFor(id);
    try {
      const { call, setup } = consoleOf(id);
      if (!setup) throw new Error('Only an operator can prepare this example.');
      const setting = settingOf(demo);
      const set = await runSetup(setup, setting);
      expect(set.problem).toBeUndefined();
      const file = new Blob([await picture()]);
      const files = Object.fromEntries((call.files ?? []).map((name) => [name, file]));
      const { url, init } = requestOf({ ...call, params: set.params }, demo.url, setting.loginOf(setup.as), files);
      expect(await (await fetch(url, init)).json()).toMatchObject({ result: 'success' });
    } finally {
      await demo.close();
    }
  },
);

/** A user who is muted or deactivated cannot be so once more: the call of the example has to undo it first. */
const UNDONE_BY_THE_CALL = ['reactivateUser', 'unmuteUser'];

test('the setup of every console can be carried out again and again', async () => {
  const demo = await startDemo();
  try {
    const setups = Object.keys(routes).flatMap((id) => {
      const { setup } = consoleOf(id);
      return setup && setup.steps.length > 0 && !UNDONE_BY_THE_CALL.includes(id) ? [[id, setup] as const] : [];
    });
    expect(setups.length).toBeGreaterThan(40);
    for (const [id, setup] of [...setups, ...setups]) {
      const { problem } = await runSetup(setup, settingOf(demo));
      expect(problem, id).toBeUndefined();
    }
  } finally {
    await demo.close();
  }
}, 180_000);

test('a setup that fails leaves no id of the example behind, and values that it does not set as they are', async () => {
  const demo = await startDemo();
  try {
    const { setup } = consoleOf('updateUserGroup');
    if (!setup) throw new Error('updateUserGroup has no setup.');
    const nobody = { ...settingOf(demo), loginOf: () => undefined };
    const { params, problem } = await runSetup(setup, nobody);
    expect(problem).toMatch(/^createUserGroup failed/);
    expect(params).toEqual({
      user_group_id: undefined,
      name: expect.stringMatching(/^kitchen/),
      can_mention_group: undefined,
    });
  } finally {
    await demo.close();
  }
});

test('a setup deletes nothing without a confirmation', async () => {
  const demo = await startDemo();
  try {
    const { setup } = consoleOf('reactivateUser');
    if (!setup) throw new Error('reactivateUser has no setup.');
    const confirmations: string[] = [];
    const wary = {
      ...settingOf(demo),
      confirmCall: async (call: SampleCall, name: string) => {
        confirmations.push(`${name} ${call.operationId} ${call.params.user_id}`);
        return false;
      },
    };
    expect(await runSetup(setup, wary)).toEqual({ params: { user_id: 6 }, problem: 'deactivateUser was not sent.' });
    expect(confirmations).toEqual(['iago deactivateUser 6']);
    const { body } = await demo.call({ operation: 'getUser', params: { user_id: 6 } });
    expect(body).toMatchObject({ user: { is_active: true } });
  } finally {
    await demo.close();
  }
});
