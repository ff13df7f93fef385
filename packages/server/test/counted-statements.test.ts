import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat } from './chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

const select = () => chat.database.db.execute(sql`select 1`);

test('the statements of requests and of direct calls count', async () => {
  // The first request of an organization reads more.
  await chat.statements(() => chat.owner.api.getOwnUser());
  const own = await chat.statements(() => chat.owner.api.getOwnUser());
  expect(own).toBeGreaterThan(0);
  const both = await chat.statements(async () => {
    await chat.owner.api.getOwnUser();
    await select();
  });
  expect(both).toBe(own + 1);
});

test('statements of a timer meanwhile do not count', async () => {
  let isDone = () => {};
  const done = new Promise<void>((resolve) => {
    isDone = resolve;
  });
  const timer = setInterval(() => void select().then(isDone), 5);
  expect(await chat.statements(() => done)).toBe(0);
  clearInterval(timer);
});
