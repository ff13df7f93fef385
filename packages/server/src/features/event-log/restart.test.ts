import { expect, test } from 'vitest';
import { startChat } from '../../../test/chat.ts';
import { emitRestart } from './index.ts';

test('every queue receives a restart event when a server has started, in every organization', async () => {
  const chat = await startChat({ ownDatabase: true });
  const ada = await chat.user('ada');
  const other = await chat.otherRealm('elsewhere');
  const { queue_id, last_event_id } = await other.owner.api.registerQueue({ event_types: ['restart'] });
  await emitRestart(chat.app);
  const { service_version, service_feature_level } = await ada.api.getServerSettings();
  const started = {
    id: expect.any(Number),
    type: 'restart',
    service_version,
    service_merge_base: service_version,
    service_feature_level,
    server_generation: expect.any(Number),
  };
  const [heard] = await ada.takeEvents('restart');
  expect(heard).toEqual(started);
  expect(await ada.api.registerQueue()).toMatchObject({ server_generation: heard?.server_generation });
  expect(await ada.takeEvents()).toEqual([]);
  expect((await other.owner.api.getEvents({ queue_id, last_event_id })).events).toEqual([started]);
  await chat.close();
});
