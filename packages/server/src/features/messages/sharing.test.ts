// Messages that wait for the same stream share a transaction (docs/adr/0056).
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { describe, expect, onTestFinished, test } from 'vitest';
import { expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { onPostgres } from '../../../test/database.ts';
import { countLockWaits } from '../../../test/lock-order.ts';
import { roomy } from '../../../test/test-server.ts';
import { getSendLane } from './rules/send.ts';

const MINUTE = 60_000;

const send = (from: TestUser, content: string, { topic = 'soup', key }: { topic?: string; key?: string } = {}) =>
  from.api.sendMessage({ type: 'stream', to: 'kitchen', topic, content }, key ? { idempotencyKey: key } : {});

/** A stream, to which messages are sent by its name, or by its id. */
async function openKitchen(by: 'name' | 'id' = 'name') {
  const transactions = { wait: MINUTE, turn: MINUTE };
  const chat = await startChat({ ownDatabase: true, admissionLimits: { ...roomy, transactions } });
  onTestFinished(() => chat.close());
  const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  const id = await chat.stream('kitchen', { by: ada, members: [ben, cleo] });
  const { id: first_id } = await send(ada, 'first');
  for (const user of [ada, ben, cleo]) await user.takeEvents();
  const { database, realm } = chat;
  const { transactions: turns } = chat.app.admission;
  const lane = `${realm.id} ${getSendLane({ type: 'stream', to: by === 'id' ? id : 'kitchen' })}`;
  /** Runs requests that wait for the stream at the same time, in this order. */
  const runTogether = async <Result>(...requests: (() => Promise<Result>)[]) => {
    let end = () => {};
    const hangs = new Promise<PromiseFulfilledResult<object>[]>((resolve) => {
      end = () => resolve([{ status: 'fulfilled', value: {} }]);
    });
    const caller = { realm, me: undefined, client: 'ParleyTest' };
    const before = turns.run(lane, { realm_id: realm.id, caller, params: {}, work: async () => ({}) }, () => hangs);
    // Until its turn has begun, it is one of those that wait.
    await expect.poll(() => turns.running, { interval: 5 }).toBe(1);
    const begun: Promise<Result>[] = [];
    for (const request of requests) {
      begun.push(request());
      await expect.poll(() => turns.waiting, { interval: 5 }).toBe(begun.length);
    }
    const results = Promise.allSettled(begun);
    end();
    await before;
    return results;
  };
  const listStored = () =>
    rows<{ id: number; seq: number; content: string; transaction: string }>(
      database.db,
      sql`select id, seq, content, xmin::text as transaction from messages where conversation_id = ${id} and id > ${first_id} order by seq`,
    );
  return { chat, id, ada, ben, cleo, runTogether, listStored };
}

const contentsOf = (stored: readonly { content: string }[]) => stored.map(({ content }) => content);

test('messages that wait for their stream at the same time are committed together, in their order', async () => {
  const { ada, ben, cleo, runTogether, listStored } = await openKitchen();
  const results = await runTogether(
    () => send(ada, 'one'),
    () => send(ben, 'two'),
    () => send(ada, 'three'),
  );
  const stored = await listStored();
  expect(contentsOf(stored)).toEqual(['one', 'two', 'three']);
  expect(new Set(stored.map(({ transaction }) => transaction)).size).toBe(1);
  const ids = stored.map(({ id }) => id);
  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  expect(results).toEqual(ids.map((id) => ({ status: 'fulfilled', value: expect.objectContaining({ id }) })));
  expect((await cleo.takeEvents('message')).map(({ message }) => message.id)).toEqual(ids);
});

test.each(['id', 'name'] as const)(
  'messages to the %s of a stream that change nothing for each other take as many statements together as one',
  async (by) => {
    const { chat, id, ada, ben, runTogether, listStored } = await openKitchen(by);
    const say = (from: TestUser, content: string) =>
      from.api.sendMessage({ type: 'stream', to: by === 'id' ? id : 'kitchen', topic: 'soup', content });
    for (const user of [ada, ben]) await say(user, 'before');
    const alone = await chat.statements(() => say(ada, 'alone'));
    const together = await chat.statements(() =>
      runTogether(
        () => say(ada, 'one'),
        () => say(ben, 'two'),
        () => say(ada, 'three'),
      ),
    );
    // Each reads its caller besides.
    expect(together).toBe(alone + 2);
    const seqs = (await listStored()).map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.map((_, n) => (seqs[0] ?? 0) + n));
  },
);

type Sending = readonly [from: 'ada' | 'ben' | 'cleo', content: string, topic?: string];

describe('messages that are committed together have the results that they have one after another', () => {
  test.each<[string, Sending[]]>([
    ['one starts a topic', [...both('ada', 'salad'), ['ben', 'three', 'salad']]],
    ['one is the first message of a topic that exists', [...both('ada', 'empty'), ['ben', 'three', 'empty']]],
    ['one makes its sender follow the topic', both('cleo', 'soup')],
    ['one makes a user follow the topic who writes there next', [['ada', '@ben'], ...both('ben', 'soup')]],
    ['they have topics of their own', [['ada', 'one', 'bread'], ...both('ben', 'SOUP'), ['cleo', 'four', 'Bread']]],
  ])('%s', async (_case, sendings) => {
    const inTurn = await sendAll(sendings, (_kitchen, requests) => runInTurn(requests));
    const together = await sendAll(sendings, (kitchen, requests) => kitchen.runTogether(...requests));
    expect(new Set(together.stored.map(({ transaction }) => transaction)).size).toBe(1);
    expect(together.results).toEqual(inTurn.results);
    expect(together.seen).toEqual(inTurn.seen);
  });
});

const both = (from: 'ada' | 'ben' | 'cleo', topic: string): [Sending, Sending] => [
  [from, 'one', topic],
  [from, 'two', topic],
];

/** Sends messages to a new stream, and returns all that can be seen of them, without ids. */
async function sendAll(
  sendings: readonly Sending[],
  run: (
    kitchen: Awaited<ReturnType<typeof openKitchen>>,
    requests: (() => ReturnType<typeof send>)[],
  ) => Promise<PromiseSettledResult<Awaited<ReturnType<typeof send>>>[]>,
) {
  const kitchen = await openKitchen();
  const { id, ada, ben, cleo, listStored } = kitchen;
  await cleo.api.updateSettings({ automatically_follow_topics_policy: 2 });
  await ben.api.updateSettings({ automatically_follow_topics_policy: 2 });
  // A topic without messages.
  for (const visibility_policy of [2, 0] as const)
    await ada.api.updateUserTopic({ stream_id: id, topic: 'empty', visibility_policy });
  for (const user of [ada, ben, cleo]) await user.takeEvents();
  const users = { ada, ben, cleo };
  const results = await run(
    kitchen,
    sendings.map(
      ([from, content, topic = 'soup']) =>
        () =>
          send(users[from], content.replace('@ben', `@**${ben.full_name}**`), { topic }),
    ),
  );
  const policies = results.map((result) =>
    result.status === 'fulfilled' ? (result.value.automatic_new_visibility_policy ?? null) : result.reason,
  );
  const seen: unknown[] = [];
  for (const user of [ada, ben, cleo]) seen.push((await user.takeEvents()).map(withoutIds));
  const stored = await listStored();
  seen.push(stored.map(({ seq }) => seq));
  return { results: policies, seen, stored };
}

function withoutIds(event: Awaited<ReturnType<TestUser['takeEvents']>>[number]) {
  if (event.type === 'user_topic') return [event.topic_name, event.visibility_policy];
  if (event.type !== 'message') return event.type;
  const { content, subject } = event.message;
  // Each user has a name of their own.
  return [content.replace(/\d+/g, 'N'), subject, event.flags];
}

async function runInTurn<Result>(requests: (() => Promise<Result>)[]): Promise<PromiseSettledResult<Result>[]> {
  const results: PromiseSettledResult<Result>[] = [];
  for (const request of requests) results.push(...(await Promise.allSettled([request()])));
  return results;
}

test('a message that fails fails alone: the others are sent, and each has its own result', async () => {
  const { chat, ada, ben, runTogether, listStored } = await openKitchen();
  const guest = await chat.user('gus', { role: 'guest', mirrored: false });
  const [one, two, three] = await runTogether(
    () => send(ada, 'one'),
    () => send(guest, 'two'),
    () => send(ben, 'three'),
  );
  expect(contentsOf(await listStored())).toEqual(['one', 'three']);
  expect([one?.status, three?.status]).toEqual(['fulfilled', 'fulfilled']);
  await expectError(
    'STREAM_DOES_NOT_EXIST',
    two?.status === 'rejected' ? Promise.reject(two.reason) : Promise.resolve(),
  );
});

test('each message sees those before it: who has started the topic, and who takes part in it', async () => {
  const { ada, ben, cleo, runTogether, listStored } = await openKitchen();
  const topic = 'salad';
  const results = await runTogether(
    () => send(ada, 'one', { topic }),
    () => send(ben, 'two', { topic }),
    () => send(cleo, 'three @**topic**', { topic }),
  );
  const [first, ...others] = results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason));
  expect(first).toMatchObject({ automatic_new_visibility_policy: 3 });
  for (const one of others) expect(one).toEqual({ id: expect.any(Number) });
  expect(new Set((await listStored()).map(({ transaction }) => transaction)).size).toBe(1);
  for (const user of [ada, ben])
    expect((await user.takeEvents('message')).map(({ flags }) => flags).at(-1)).toContain('topic_wildcard_mentioned');
});

test('a message that is repeated with its key while the first one waits is sent once', async () => {
  const { ada, ben, runTogether, listStored } = await openKitchen();
  const results = await runTogether(
    () => send(ada, 'one', { key: 'once' }),
    () => send(ada, 'one', { key: 'once' }),
    () => send(ben, 'two', { key: 'once' }),
  );
  const ids = (await listStored()).map(({ id }) => id);
  expect(ids).toHaveLength(2);
  expect(results.map((result) => result.status === 'fulfilled' && result.value.id)).toEqual([ids[0], ...ids]);
});

test.runIf(onPostgres)('if the commit is not confirmed, none of the messages is sent again', async () => {
  const { chat, ada, ben, runTogether, listStored } = await openKitchen();
  const { db } = chat.database;
  await db.execute(sql`create function end_session() returns trigger language plpgsql as
    $$ begin perform pg_terminate_backend(pg_backend_pid()); perform 1; return null; end $$`);
  await db.execute(sql`create constraint trigger ends_session after insert on messages
    deferrable initially deferred for each row when (new.content = 'two') execute function end_session()`);
  const results = await runTogether(
    () => send(ada, 'one'),
    () => send(ben, 'two'),
  );
  for (const result of results)
    expect(result).toMatchObject({ status: 'rejected', reason: { code: 'SERVICE_UNAVAILABLE' } });
  expect(await listStored()).toEqual([]);
});

test.runIf(onPostgres)('messages to the name of a stream that is renamed before their turn are not sent', async () => {
  const { chat, id, ada, ben, runTogether, listStored } = await openKitchen();
  let renamed: Promise<unknown> | undefined;
  let results: ReturnType<typeof runTogether> | undefined;
  await chat.database.db.transaction(async (tx) => {
    await tx.execute(sql`select from conversations where realm_id = ${chat.realm.id} and id = ${id} for no key update`);
    renamed = chat.owner.api.updateStream({ stream_id: id, new_name: 'pantry' });
    await expect.poll(() => countLockWaits(chat), { interval: 5 }).toBe(1);
    results = runTogether(
      () => send(ada, 'one'),
      () => send(ben, 'two'),
    );
    await expect.poll(() => countLockWaits(chat), { interval: 5 }).toBe(2);
  });
  await renamed;
  for (const result of (await results) ?? [])
    expect(result).toMatchObject({ status: 'rejected', reason: { code: 'STREAM_DOES_NOT_EXIST' } });
  const contents = contentsOf(await listStored());
  for (const content of ['one', 'two']) expect(contents).not.toContain(content);
});

test.runIf(onPostgres)(
  'a repeat at another server that holds the key, and waits for the stream, ends in no error',
  async () => {
    const { chat, id, ada, ben, runTogether, listStored } = await openKitchen();
    const { db } = chat.database;
    const { id: realm_id } = chat.realm;
    let results: ReturnType<typeof runTogether> | undefined;
    const repeat = db.transaction(async (tx) => {
      await tx.execute(sql`insert into idempotency_keys (realm_id, user_id, key, fingerprint, begun_at)
      values (${realm_id}, ${ada.id}, 'once', 'another server', now())`);
      results = runTogether(
        () => send(ben, 'one'),
        () => send(ada, 'two', { key: 'once' }),
      );
      // The transaction of both messages has locked the stream, and waits for the key.
      await expect.poll(() => countLockWaits(chat), { interval: 5 }).toBe(1);
      await tx.execute(sql`select from conversations where realm_id = ${realm_id} and id = ${id} for no key update`);
      throw new Error('The other server stops.');
    });
    await expect(repeat).rejects.toThrow();
    expect((await results)?.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect(contentsOf(await listStored())).toEqual(['one', 'two']);
  },
);
