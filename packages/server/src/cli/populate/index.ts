// `parley populate`: fills an organization as if it had been in use for a while.
import { setTimeout as pause } from 'node:timers/promises';
import type { App } from '../../app.ts';
import type { PublicCtx } from '../../core/context.ts';
import { failConflict, failInvalid } from '../../core/errors.ts';
import type { Server } from '../../core/server.ts';
import { refreshFullMembers } from '../../features/user-groups/index.ts';
import { requireRealm, runInRealm } from '../run-in-realm.ts';
import type { CommandHandler } from '../types.ts';
import { type Plan, type PlannedMessage, plan, type Sizes } from './plan.ts';
import {
  analyze,
  deleteQueues,
  findFreeNumber,
  findOwnerId,
  insertMembers,
  insertMessages,
  insertStreams,
  insertTopics,
  insertUsers,
  isOlderTransactionOpen,
  leaveGap,
  type PopulatedMessage,
  updateFirstMessages,
} from './queries.ts';

type Input = Sizes & { realm: string };

const CLIENT = 'ParleyPopulate';
const MONTH = 30 * 24 * 3600 * 1000;
const COLOR = '#76ce90';

/** The ids of the planned objects. */
interface Made {
  readonly user_ids: readonly number[];
  readonly streams: readonly number[];
  /** By stream, then by topic. */
  readonly topics: readonly (readonly number[])[];
}

const populate: CommandHandler<Input> = async ({ app }, { realm: subdomain, ...sizes }) => {
  check(sizes);
  const realm = await requireRealm(app, subdomain);
  const planned = plan(sizes, await findFreeNumber(app.database.db, realm.id));
  const since = new Date(app.clock().getTime() - MONTH);
  const made = await runInRealm(app, subdomain, async (ctx) => {
    const created = await createUsersAndStreams(ctx, planned, since);
    await leaveGap(ctx.db, realm.id);
    return created;
  });
  await writeMessages(app, subdomain, planned, made, sizes.messages, since);
  await runInRealm(app, subdomain, (ctx) => updateFirstMessages(ctx.db, realm.id, made.streams));
  await endQueues(app, subdomain);
  await analyze(app.database.db);
  const streams = planned.streams.map(({ name, topics }, n) => ({ stream_id: made.streams[n], name, topics }));
  return {
    json: { users: made.user_ids.length, messages: sizes.messages, streams },
    lines: [
      `Created ${made.user_ids.length} users, ${streams.length} streams and ${sizes.messages} messages.`,
      'The event queues of the organization are deleted: clients have to register again.',
    ],
  };
};

function check({ users, streams, topics, messages, subscribers }: Sizes): void {
  if (messages === 0) return;
  if (streams === 0 || topics === 0) failInvalid('--messages need at least one of --streams and of --topics.');
  if (users === 0 || subscribers === 0) failInvalid('--messages needs users who send them: --users and --subscribers.');
}

async function createUsersAndStreams(ctx: PublicCtx<Server>, { users, streams }: Plan, since: Date): Promise<Made> {
  const { db, realm } = ctx;
  const owner_id = (await findOwnerId(db, realm.id)) ?? failConflict('The organization has no owner.');
  const user_ids = users.length > 0 ? await insertUsers(db, realm.id, users, ctx.now) : [];
  const names = streams.map(({ name }) => name);
  const stream_ids = names.length > 0 ? await insertStreams(db, { realm_id: realm.id, owner_id, names, since }) : [];
  const topics: number[][] = [];
  for (const [n, stream] of streams.entries()) {
    const stream_id = stream_ids[n] as number;
    const members = stream.members.map((member) => user_ids[member] as number);
    await insertMembers(db, realm.id, stream_id, [owner_id, ...members], COLOR);
    topics.push(
      await insertTopics(
        db,
        realm.id,
        stream.topics.map((name) => ({ stream_id, name })),
      ),
    );
  }
  await refreshFullMembers(ctx);
  return { user_ids, streams: stream_ids, topics };
}

async function writeMessages(
  app: App,
  subdomain: string,
  planned: Plan,
  made: Made,
  total: number,
  since: Date,
): Promise<void> {
  // An embedded database serves no other requests meanwhile, so its transactions are short.
  const size = app.database.kind === 'embedded' ? 1000 : 5000;
  let count = 0;
  let batch: PopulatedMessage[] = [];
  const send = async () => {
    const messages = batch;
    batch = [];
    await runInRealm(app, subdomain, (ctx) => insertMessages(ctx.db, ctx.realm.id, messages, CLIENT));
  };
  for (const message of planned.messages()) {
    batch.push(toMessage(message, planned, made, new Date(since.getTime() + (MONTH * count++) / total)));
    if (batch.length === size) await send();
  }
  if (batch.length > 0) await send();
}

function toMessage(
  { stream, topic, user_id, text }: PlannedMessage,
  { texts }: Plan,
  made: Made,
  sent_at: Date,
): PopulatedMessage {
  return {
    stream_id: made.streams[stream] as number,
    topic_id: made.topics[stream]?.[topic] as number,
    sender_id: made.user_ids[user_id] as number,
    text: texts[text % texts.length] as Plan['texts'][number],
    sent_at,
  };
}

/**
 * No events are emitted for the messages: instead, clients have to register anew. A registration in progress may have
 * read the earlier state of the organization, so this waits for it.
 */
async function endQueues(app: App, subdomain: string): Promise<void> {
  const then = app.clock();
  const deadline = Date.now() + 10_000;
  while (
    app.database.kind === 'postgres' &&
    Date.now() < deadline &&
    (await isOlderTransactionOpen(app.database.db, then))
  ) {
    await pause(50);
  }
  await runInRealm(app, subdomain, async (ctx) => {
    for (const { id, poller } of await deleteQueues(ctx.db, ctx.realm.id)) ctx.server.polls.end(id, poller);
    await leaveGap(ctx.db, ctx.realm.id);
  });
}

export const populateWorks = { populate };
