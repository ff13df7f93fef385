// Scheduled messages, and the time when they are due.
import { deliverDue } from '../src/features/scheduled-messages/index.ts';
import type { Chat, TestUser } from './chat.ts';

type ScheduleParams = Parameters<TestUser['api']['scheduleMessage']>[0];
/** Tests also send invalid parameters. */
type Changes = { readonly [Name in keyof ScheduleParams]?: unknown };

/** A time so many seconds from now, in the format of the API. */
export const inSeconds = (chat: Chat, seconds: number): number => Math.floor(chat.clock().getTime() / 1000) + seconds;

/** Schedules a message to a stream or to users, by default in a minute. */
export async function schedule(chat: Chat, from: TestUser, to: number | readonly { id: number }[], more: Changes = {}) {
  const direct = typeof to !== 'number';
  const { scheduled_message_id } = await from.api.scheduleMessage({
    type: direct ? 'direct' : 'stream',
    to: direct ? to.map(({ id }) => id) : to,
    ...(!direct && { topic: 'soup' }),
    content: 'later',
    scheduled_delivery_timestamp: inSeconds(chat, 60),
    ...more,
  } as ScheduleParams);
  return scheduled_message_id;
}

/** The scheduled and failed messages of a user. */
export const scheduledBy = async ({ api }: TestUser) => (await api.getScheduledMessages()).scheduled_messages;

/** Advances the clock, and runs the job that delivers due messages. */
export async function pass(chat: Chat, time: Parameters<Chat['clock']['advance']>[0] = { seconds: 61 }): Promise<void> {
  chat.clock.advance(time);
  await deliverAll(chat);
}

export async function deliverAll({ app }: Pick<Chat, 'app'>): Promise<void> {
  let more: string | undefined;
  do more = await deliverDue(app);
  while (more);
}

/** Copies of a scheduled message, numbered, by SQL: as many as requests could make in an hour. */
export async function copyScheduled({ database }: Chat, id: number, copies: number): Promise<void> {
  const columns =
    'realm_id, user_id, type, stream_id, to_user_ids, topic, rendered_content, read_by_sender, client, deliver_at, attempt_at';
  await database.db.execute(
    `insert into scheduled_messages (${columns}, content) select ${columns}, k::text
     from scheduled_messages, generate_series(1, ${copies}) as copy(k) where id = ${id} order by copy.k`,
  );
}
