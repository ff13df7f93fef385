import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat } from '../../../test/chat.ts';
import { changeUserSettings, findUserSettingsOf } from '../user-settings/index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

type SettingsChange = Parameters<typeof changeUserSettings>[2];
const change = (id: number, settings: SettingsChange) =>
  chat.act((ctx) => changeUserSettings(ctx, { realm_id: ctx.realm.id, id }, settings));
const toExpectedEvent = (property: string, value: unknown) => ({
  id: expect.any(Number),
  type: 'user_settings',
  op: 'update',
  property,
  value,
});

test('each changed setting emits an event of its own, to the user alone, and stays', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  for (const person of [ada, ben]) await person.takeEvents();
  expect(await change(ada.id, { enter_sends: true, dense_mode: true, color_scheme: 2 })).toEqual({
    enter_sends: true,
    color_scheme: 2,
  });
  expect(await ada.takeEvents()).toEqual([toExpectedEvent('enter_sends', true), toExpectedEvent('color_scheme', 2)]);
  expect(await ben.takeEvents()).toEqual([]);
  await change(ada.id, { color_scheme: 1, web_home_view: 'all_messages' });
  const { user_settings } = await ada.api.registerQueue({ fetch_event_types: ['user_settings'] });
  expect(user_settings).toMatchObject({ enter_sends: true, color_scheme: 1, web_home_view: 'all_messages' });
});

test('a setting that does not change emits no event', async () => {
  const [ada] = await chat.users('ada');
  await change(ada.id, { enter_sends: true });
  await ada.takeEvents();
  expect(await change(ada.id, { enter_sends: true, left_side_userlist: false })).toEqual({});
  expect(await ada.takeEvents()).toEqual([]);
});

test('the event of a language has its name', async () => {
  const [ada] = await chat.users('ada');
  await ada.takeEvents();
  await change(ada.id, { default_language: 'de' });
  expect(await ada.takeEvents()).toEqual([{ ...toExpectedEvent('default_language', 'de'), language_name: 'Deutsch' }]);
});

test('settings in the table of users change like the others', async () => {
  // The caller of this function emits the events about these two to others; without it no mirror can be right.
  const ada = await chat.user('ada', { mirrored: false });
  const queue = await ada.api.registerQueue({ event_types: ['user_settings'] });
  await change(ada.id, { timezone: 'Europe/Rome', email_address_visibility: 3, enter_sends: true });
  const { events } = await ada.api.getEvents({ ...queue, dont_block: true });
  expect(events).toEqual([
    toExpectedEvent('timezone', 'Europe/Rome'),
    toExpectedEvent('email_address_visibility', 3),
    toExpectedEvent('enter_sends', true),
  ]);
  const settings = await chat.act((ctx) => findUserSettingsOf(ctx.db, { realm_id: ctx.realm.id, id: ada.id }));
  expect(settings).toMatchObject({ timezone: 'Europe/Rome', email_address_visibility: 3, enter_sends: true });
});

test('concurrent changes of different settings are all kept', async () => {
  const [ada] = await chat.users('ada');
  const changes: SettingsChange[] = [
    { enter_sends: true },
    { fluid_layout_width: true },
    { color_scheme: 3 },
    { color_scheme: 2 },
    { high_contrast_mode: true },
  ];
  await Promise.all(changes.map((one) => change(ada.id, one)));
  const last = (await ada.takeEvents('user_settings')).findLast(({ property }) => property === 'color_scheme');
  const { user_settings } = await ada.api.registerQueue({ fetch_event_types: ['user_settings'] });
  expect(user_settings).toMatchObject({
    enter_sends: true,
    fluid_layout_width: true,
    high_contrast_mode: true,
    color_scheme: last?.value,
  });
});
