// The stored ranges and flags against a plain model: for any commands, all users see the same as if each message had a
// record for each user. A new family of commands is one more file in `model/` and one more name here.
import fc from 'fast-check';
import { afterAll, beforeAll, test } from 'vitest';
import { type Chat, startChat } from './chat.ts';
import { onPostgres } from './database.ts';
import { editing } from './model/editing.ts';
import { flags } from './model/flagging.ts';
import { narrowing } from './model/narrowing.ts';
import { prelude } from './model/prelude.ts';
import { sending } from './model/sending.ts';
import { conclude, createWorld } from './model/step.ts';
import { streams } from './model/streams.ts';
import { subscribing } from './model/subscribing.ts';
import { watchings } from './model/watching.ts';

// Without bias: by default fast-check prefers short histories and small numbers, which leave most of the rules out.
const commands = fc.noBias(
  fc.commands([...subscribing, ...streams, ...sending, ...flags, ...narrowing, ...editing, ...watchings], {
    maxCommands: 80,
    size: 'max',
  }),
);

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
  await chat.owner.api.updateRealm({ move_messages_between_streams_policy: 1, delete_own_message_policy: 1 });
});
afterAll(() => chat.close());

/** Milliseconds after which the search for a smaller failing history ends. */
const PATIENCE = 120_000;

async function hold(options: { numRuns: number; seed?: number }): Promise<void> {
  const property = fc.asyncProperty(commands, async (steps) => {
    const world = await createWorld(chat);
    for (const step of prelude) await step.run(world, chat);
    await fc.asyncModelRun(() => ({ model: world, real: chat }), steps);
    await conclude(world, chat);
  });
  await fc.assert(property, { ...options, interruptAfterTimeLimit: PATIENCE });
}

const LONG = process.env.PARLEY_TEST_LONG !== undefined;
/** A history takes several times as long on the embedded database. */
const RUNS = onPostgres ? 3 : 2;

test('all users see what the plain model has, in histories that are always the same', { timeout: 180_000 }, () =>
  hold({ numRuns: RUNS, seed: 20_260 }),
);

test(
  'all users see what the plain model has, in histories that are new each time',
  { timeout: LONG ? 1_800_000 : 180_000 },
  () => hold({ numRuns: LONG ? 60 : RUNS }),
);
