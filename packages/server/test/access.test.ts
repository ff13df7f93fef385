// The rules of access: in random organizations, the rules of `src/access/rules.ts`, their SQL, and every operation that
// reads decide alike for every user, stream and message.
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { messageAccess, toViewer, toViewerRow } from '../src/access/messages-sql.ts';
import { isAdministrator } from '../src/access/roles-sql.ts';
import { canAccessStream, canReadStreamContent, canSeeStream } from '../src/access/rules.ts';
import * as inSql from '../src/access/rules-sql.ts';
import { compareEvents, openQueues } from './access/events.ts';
import { isMessageInHistory, isReadable, loadFacts, type OrganizationFacts } from './access/facts.ts';
import { compareReads } from './access/reads.ts';
import {
  type AccessWorld,
  anyStep,
  beginning,
  createAccessWorld,
  losing,
  play,
  type WorldStep,
} from './access/world.ts';
import { type Chat, startChat } from './chat.ts';

const LONG = process.env.PARLEY_TEST_LONG !== undefined;
/** A world takes seconds. The first is the same in every run. */
const RUNS = LONG ? 60 : 2;
/** Milliseconds after which the search for a smaller failing world ends. */
const PATIENCE = LONG ? 1_500_000 : 120_000;

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ web_public_streams_enabled: true });
});
afterAll(() => chat.close());

test('every user reads, searches, downloads and receives what the rules of access say, and nothing else', {
  timeout: LONG ? 1_800_000 : 180_000,
}, async () => {
  // Without bias: by default fast-check prefers short lists and small numbers.
  const steps = fc.noBias(fc.array(anyStep, { maxLength: 40, size: 'max' }));
  const property = fc.asyncProperty(steps, steps, (before, after) => compareWorld(before, after));
  // The first world has the fixed beginning alone: what it shows does not depend on the seed.
  await fc.assert(property, { examples: [[[], []]], numRuns: RUNS, interruptAfterTimeLimit: PATIENCE });
});

/** Events of the steps `after` are delivered when all of these have changed who has access. */
async function compareWorld(before: readonly WorldStep[], after: readonly WorldStep[]): Promise<void> {
  const world = await createAccessWorld(chat);
  const load = () => loadFacts(chat.database.db, world.realm.id);
  await play(world, [...beginning, ...before]);
  const queues = await openQueues(world, await load());
  await play(world, [...losing, ...after]);
  const facts = await load();
  await compareStreamRules(world, facts);
  await compareMessageRules(world, facts);
  await compareEvents(world, facts, queues);
  await compareReads(world, facts);
}

async function compareStreamRules({ realm }: AccessWorld, facts: OrganizationFacts): Promise<void> {
  const me = { ...toViewerRow(sql`u`), is_administrator: isAdministrator(sql`u`) };
  const decisions = [me, sql`s`, sql`coalesce(x.active, false)`] as const;
  const decided = await rows<{ user_id: number; stream_id: number; can: boolean[] }>(
    chat.database.db,
    sql`select u.id as user_id, s.id as stream_id, array[
          ${inSql.canSeeStream(...decisions)}, ${inSql.canAccessStream(...decisions)}, ${inSql.canReadStreamContent(...decisions)}] as can
        from users u join streams s on s.realm_id = u.realm_id
        left join memberships x on x.realm_id = s.realm_id and x.conversation_id = s.id and x.user_id = u.id
        where u.realm_id = ${realm.id} and not u.is_system_bot order by u.id, s.id`,
  );
  const expected = facts.users.flatMap((user) =>
    [...facts.streams.values()].map((stream) => {
      const subscribed = facts.membership(user.id, stream.id).active;
      const can = [canSeeStream, canAccessStream, canReadStreamContent].map((rule) => rule(user, stream, subscribed));
      return { user_id: user.id, stream_id: stream.id, can };
    }),
  );
  expect(decided, 'access to streams by SQL').toEqual(expected);
}

async function compareMessageRules({ realm }: AccessWorld, facts: OrganizationFacts): Promise<void> {
  const { joins, readable, has_row } = messageAccess(toViewerRow(sql`u`));
  const decided = await rows<{ user_id: number; message_id: number; can_read: boolean; has_row: boolean }>(
    chat.database.db,
    sql`select u.id as user_id, m.id as message_id, ${readable} as can_read, ${has_row} as has_row
        from users u join messages m on m.realm_id = u.realm_id ${joins}
        where u.realm_id = ${realm.id} and not u.is_system_bot order by u.id, m.id`,
  );
  const expected = facts.users.flatMap((user) =>
    facts.messages.map((message) => ({
      user_id: user.id,
      message_id: message.id,
      can_read: isReadable(facts, user, message),
      has_row: isMessageInHistory(facts, user.id, message),
    })),
  );
  expect(decided, 'access to messages by SQL').toEqual(expected);
  for (const user of facts.users) {
    const access = messageAccess(toViewer(user));
    const found = await rows<{ id: number }>(
      chat.database.db,
      sql`select m.id from messages m ${access.joins} where m.realm_id = ${realm.id} and ${access.readable} order by m.id`,
    );
    const own = facts.messages.filter((message) => isReadable(facts, user, message));
    expect(
      found.map(({ id }) => id),
      `messages that user ${user.id} can read, by SQL`,
    ).toEqual(own.map(({ id }) => id));
  }
}
