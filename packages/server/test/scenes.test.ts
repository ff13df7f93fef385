// The first call of every console in the documentation: on a demo it does what its example says.
import { readFileSync } from 'node:fs';
import { routes } from '@parley/client';
import { expect, test } from 'vitest';
import type { ConsoleData } from '../../../apps/docs/src/model/console.ts';
import { setScene } from '../../../apps/docs/src/model/scene.ts';
import { requestOf } from '../../../apps/docs/src/model/send.ts';
import { type Demo, startDemo } from './demo.ts';
import { picture } from './pictures.ts';

const consoleOf = (id: string): ConsoleData =>
  JSON.parse(readFileSync(new URL(`../../../apps/docs/dist/reference/${id}.json`, import.meta.url), 'utf8'));

/** Ids are then not those of the recording: somebody was here before. */
async function useBefore(demo: Demo): Promise<void> {
  const message = { type: 'stream', to: 'general', topic: 'before', content: 'Hello.' };
  await demo.call({ operation: 'sendMessage', params: message });
  await demo.call({ operation: 'createUserGroup', params: { name: 'early birds', description: '', members: [] } });
}

// What an operator prepares, nobody can from a page.
test.each(Object.keys(routes).filter((id) => id !== 'createUser'))(
  'the console of %s can do its example',
  async (id) => {
    const demo = await startDemo();
    try {
      await useBefore(demo);
      const { call, scene } = consoleOf(id);
      if (!scene) throw new Error('Only an operator can set this scene.');
      const loginOf = (name: string) => {
        const person = demo.people.find((one) => one.name.toLowerCase() === name);
        return person && { email: person.email, apiKey: person.api_key };
      };
      const set = await setScene(scene, demo.url, loginOf);
      if ('problem' in set) throw new Error(set.problem);
      const file = new Blob([await picture()]);
      const files = Object.fromEntries((call.files ?? []).map((name) => [name, file]));
      const { url, init } = requestOf({ ...call, params: set.params }, demo.url, loginOf(scene.as), files);
      expect(await (await fetch(url, init)).json()).toMatchObject({ result: 'success' });
    } finally {
      await demo.close();
    }
  },
);
