// Compiling a validator blocks the server for a tenth of a second: `npm run generate` does it.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Chat, expectError, startChat } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

const { Function: original } = globalThis;
let compiled = 0;

// Ajv compiles with `new Function`.
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

test('the first request of a client compiles nothing, nor does the first invalid one', async () => {
  const [hamlet] = await chat.users('hamlet');
  const { queue_id, last_event_id } = await hamlet.api.registerQueue({});
  await hamlet.api.getEvents({ queue_id, last_event_id, dont_block: true });
  await hamlet.api.getOwnUser();
  await expectError('REQUEST_VARIABLE_MISSING', hamlet.api.sendMessage({} as never));
  expect(compiled).toBe(0);
});

test('the server compiles nothing for the content types of requests, however many', async () => {
  const send = (type: string) =>
    chat.fetch('/api/v1/messages', { method: 'POST', headers: { 'Content-Type': type }, body: 'content=x' });
  for (let n = 0; n < 20; n++) expect((await send(`text/x-number-${n}`)).status).toBe(401);
  expect(compiled).toBe(0);
});
