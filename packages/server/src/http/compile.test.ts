// Compiling the checks of an operation takes a tenth of a second: nobody may make the server do so at will, and nobody has
// to wait for what every client begins with.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Chat, startChat } from '../../test/chat.ts';
import { compileFirst } from './check.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

const { Function: original } = globalThis;
let compiled = 0;

// The validator's library compiles with `new Function`.
beforeEach(() => {
  compiled = 0;
  globalThis.Function = new Proxy(original, {
    construct(target, args, newTarget) {
      compiled += 1;
      return Reflect.construct(target, args, newTarget) as object;
    },
  });
});

afterEach(() => {
  globalThis.Function = original;
});

test('a server compiles nothing for the content types that strangers claim, however many', async () => {
  const send = (type: string) =>
    chat.fetch('/api/v1/messages', { method: 'POST', headers: { 'Content-Type': type }, body: 'content=x' });
  expect((await send('application/x-www-form-urlencoded')).status).toBe(401);
  compiled = 0;
  for (let n = 0; n < 20; n++) expect((await send(`text/x-number-${n}`)).status).toBe(401);
  expect(compiled).toBe(0);
});

test('the first client to register waits for nothing to be compiled', async () => {
  const [hamlet] = await chat.users('hamlet');
  await compileFirst();
  compiled = 0;
  const { queue_id, last_event_id } = await hamlet.api.registerQueue({});
  await hamlet.api.getEvents({ queue_id, last_event_id, dont_block: true });
  expect(compiled).toBe(0);
});
