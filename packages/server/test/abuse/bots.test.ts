// A member with many bots.
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/index.ts';
import { createLimits } from '../../src/http/limits/index.ts';
import { expectError, startChat, type TestUser } from '../chat.ts';

test('many bots give a member no more requests than one, and do not reduce those of the member and of others', async () => {
  const requestLimits = createLimits(readConfig({ PARLEY_RATE_LIMITS: '{"account":"60:10"}' }).rate_rules);
  const chat = await startChat({ requestLimits });
  const [mallory, ben] = [await chat.user('mallory', { mirrored: false }), await chat.user('ben', { mirrored: false })];
  const bots: TestUser[] = [];
  for (let n = 0; n < 4; n++) bots.push(await chat.user('bot', { bot_of: mallory, mirrored: false }));
  const other = await chat.user('bot', { bot_of: ben, mirrored: false });
  const outcomes = await Promise.allSettled(
    bots.flatMap(({ api }) => Array.from({ length: 6 }, () => api.getOwnUser())),
  );
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  for (const { api } of bots) await expectError('RATE_LIMIT_HIT', api.getOwnUser());
  for (const { api } of [mallory, ben, other]) await api.getOwnUser();
  requestLimits.close();
  await chat.close();
});
