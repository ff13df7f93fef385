// Random organizations: users of all roles do what they are permitted to do with streams and messages of all kinds.
import { ParleyError } from '@parley/client';
import fc from 'fast-check';
import type { Chat, TestUser } from '../chat.ts';
import { linking, textFile, uploaded } from '../files.ts';
import { loadFacts, type OrganizationFacts } from './facts.ts';

export interface AccessWorld {
  readonly chat: Chat;
  readonly realm: Chat['realm'];
  /** The owner first. Each user may be deactivated by now. */
  readonly users: readonly TestUser[];
  readonly uris: string[];
}

export type WorldStep = (world: AccessWorld, facts: OrganizationFacts) => Promise<unknown>;

let worlds = 0;

export async function createAccessWorld(chat: Chat): Promise<AccessWorld> {
  const { realm, owner } = await chat.otherRealm(`access${worlds++}`);
  await owner.api.updateRealm({
    enable_spectator_access: true,
    enable_read_receipts: true,
    move_messages_between_streams_policy: 1,
    delete_own_message_policy: 1,
  });
  const users = [owner];
  for (const role of ['admin', 'moderator', 'member', 'member', 'guest', 'guest'] as const)
    users.push(await chat.user(role, { role, realm, mirrored: false }));
  const bot_of = users[3];
  if (bot_of) users.push(await chat.user('bot', { realm, mirrored: false, bot_of }));
  return { chat, realm, users, uris: [] };
}

/** Runs these steps in turn. A step that is not permitted fails, and changes nothing. */
export async function play(world: AccessWorld, steps: readonly WorldStep[]): Promise<void> {
  for (const step of steps) {
    const facts = await loadFacts(world.chat.database.db, world.realm.id);
    await step(world, facts).catch((error: unknown) => {
      if (!(error instanceof ParleyError) || error.status >= 500) throw error;
    });
  }
}

/** An item of a list, by a number of any size; the last one is -1. */
const pick = <T>(list: readonly T[], n: number): T => {
  const one = list.at(n % list.length);
  if (one === undefined) throw new Error('The list is empty.');
  return one;
};

const kinds = {
  public: {},
  web: { is_web_public: true },
  shared: { invite_only: true, history_public_to_subscribers: true },
  guarded: { invite_only: true, history_public_to_subscribers: false },
};
export type StreamKind = keyof typeof kinds;

export const creating =
  (by: number, kind: StreamKind, members: readonly number[]): WorldStep =>
  ({ users }, { streams }) =>
    pick(users, by).api.subscribe({
      subscriptions: [{ name: `stream ${streams.size}` }],
      principals: members.map((n) => pick(users, n).id),
      ...kinds[kind],
    });

const idOf = (facts: OrganizationFacts, stream: number): number => pick([...facts.streams.keys()], stream);

/** Names of streams are numbers in the order of their ids. */
const nameOf = (facts: OrganizationFacts, stream: number): string => `stream ${stream % facts.streams.size}`;

export const subscribing =
  (by: number, stream: number, who: number): WorldStep =>
  ({ users }, facts) =>
    pick(users, by).api.subscribe({
      subscriptions: [{ name: nameOf(facts, stream) }],
      principals: [pick(users, who).id],
    });

export const unsubscribing =
  (stream: number, who: number): WorldStep =>
  ({ users }, facts) =>
    pick(users, 1).api.unsubscribe({ subscriptions: [nameOf(facts, stream)], principals: [pick(users, who).id] });

interface SendOptions {
  /** The users that the message mentions. */
  readonly mention?: number | undefined;
  /** A file that it links: a new one, or one of those that were uploaded. */
  readonly file?: 'new' | number | undefined;
}

export const sending =
  (from: number, stream: number, topic: string, { mention, file }: SendOptions = {}): WorldStep =>
  async (world, facts) => {
    const sender = pick(world.users, from);
    if (file === 'new') world.uris.push(await uploaded(sender, textFile(`file ${world.uris.length}`)));
    const uri =
      file === 'new' ? world.uris.at(-1) : file === undefined ? undefined : world.uris[file % world.uris.length];
    const mentioned = mention === undefined ? '' : ` @**${pick(world.users, mention).full_name}**`;
    const content = `hello${mentioned}${uri ? ` ${linking(uri)}` : ''}`;
    return sender.api.sendMessage({ type: 'stream', to: idOf(facts, stream), topic, content });
  };

export const writing =
  (from: number, to: readonly number[]): WorldStep =>
  ({ users }) =>
    pick(users, from).api.sendMessage({
      type: 'direct',
      to: to.map((n) => pick(users, n).id),
      content: 'hello directly',
    });

/** One of the messages that users wrote in streams, if there are any. */
function messageOf({ users }: AccessWorld, facts: OrganizationFacts, n: number) {
  const written = facts.messages.filter(({ sender_id, topic }) => topic && users.some(({ id }) => id === sender_id));
  return pick(written, n);
}

export const moving =
  (
    by: number,
    message: number,
    stream: number,
    propagate_mode: 'change_one' | 'change_later' | 'change_all',
  ): WorldStep =>
  async (world, facts) =>
    pick(world.users, by).api.updateMessage({
      message_id: messageOf(world, facts, message).id,
      stream_id: idOf(facts, stream),
      propagate_mode,
    });

export const editing =
  (message: number): WorldStep =>
  async (world, facts) => {
    const { id, sender_id, content } = messageOf(world, facts, message);
    const sender = world.users.find((one) => one.id === sender_id);
    return sender?.api.updateMessage({ message_id: id, content: `${content}!` });
  };

export const deleting =
  (by: number, message: number): WorldStep =>
  async (world, facts) =>
    pick(world.users, by).api.deleteMessage({ message_id: messageOf(world, facts, message).id });

export const starring =
  (by: number, message: number): WorldStep =>
  async (world, facts) =>
    pick(world.users, by).api.updateMessageFlags({
      messages: [messageOf(world, facts, message).id],
      op: 'add',
      flag: 'starred',
    });

export const reacting =
  (by: number, message: number): WorldStep =>
  async (world, facts) =>
    pick(world.users, by).api.addReaction({ message_id: messageOf(world, facts, message).id, emoji_name: 'tada' });

export const changingKind =
  (stream: number, kind: StreamKind): WorldStep =>
  async (world, facts) => {
    const [admin] = world.users.slice(1);
    await admin?.api.subscribe({ subscriptions: [{ name: nameOf(facts, stream) }] });
    return admin?.api.updateStream({
      stream_id: idOf(facts, stream),
      is_private: kind === 'shared' || kind === 'guarded',
      is_web_public: kind === 'web',
      ...(kind === 'guarded' && { history_public_to_subscribers: false }),
      ...(kind === 'shared' && { history_public_to_subscribers: true }),
    });
  };

export const archiving =
  (stream: number): WorldStep =>
  async ({ users }, facts) =>
    pick(users, 0).api.archiveStream({ stream_id: idOf(facts, stream) });

/** Any user except the owner and the first administrator, who have to stay. */
export const changingRole =
  (who: number, role: 300 | 400 | 600): WorldStep =>
  async ({ users }) =>
    pick(users, 0).api.updateUser({ user_id: pick(users.slice(2), who).id, role });

export const deactivating =
  (who: number): WorldStep =>
  async ({ users }) =>
    pick(users, 0).api.deactivateUser({ user_id: pick(users.slice(2), who).id });

const n = fc.nat(100);
const kind = fc.constantFrom<StreamKind[]>('public', 'web', 'shared', 'guarded');
const topic = fc.constantFrom('soup', 'bread');
const mode = fc.constantFrom('change_one' as const, 'change_later' as const, 'change_all' as const);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const labelled =
  <Args extends unknown[]>(name: string, make: (...args: Args) => WorldStep) =>
  (args: Args) =>
    Object.assign(make(...args), { toString: () => `${name}(${JSON.stringify(args).slice(1, -1)})` });

/** Any step that changes who can read what. */
export const anyStep: fc.Arbitrary<WorldStep> = fc.oneof(
  { weight: 2, arbitrary: fc.tuple(n, kind, fc.array(n, { maxLength: 4 })).map(labelled('creating', creating)) },
  { weight: 5, arbitrary: fc.tuple(n, n, n).map(labelled('subscribing', subscribing)) },
  { weight: 5, arbitrary: fc.tuple(n, n).map(labelled('unsubscribing', unsubscribing)) },
  {
    weight: 8,
    arbitrary: fc
      .tuple(n, n, topic, fc.record({ mention: maybe(n), file: maybe(fc.oneof(fc.constant('new' as const), n)) }))
      .map(labelled('sending', sending)),
  },
  { weight: 2, arbitrary: fc.tuple(n, fc.array(n, { minLength: 1, maxLength: 3 })).map(labelled('writing', writing)) },
  { weight: 5, arbitrary: fc.tuple(n, n, n, mode).map(labelled('moving', moving)) },
  { weight: 2, arbitrary: fc.tuple(n).map(labelled('editing', editing)) },
  { weight: 1, arbitrary: fc.tuple(n, n).map(labelled('deleting', deleting)) },
  { weight: 3, arbitrary: fc.tuple(n, n).map(labelled('starring', starring)) },
  { weight: 2, arbitrary: fc.tuple(n, n).map(labelled('reacting', reacting)) },
  { weight: 3, arbitrary: fc.tuple(n, kind).map(labelled('changingKind', changingKind)) },
  { weight: 1, arbitrary: fc.tuple(n).map(labelled('archiving', archiving)) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(n, fc.constantFrom(300 as const, 400 as const, 600 as const))
      .map(labelled('changingRole', changingRole)),
  },
  { weight: 1, arbitrary: fc.tuple(n).map(labelled('deactivating', deactivating)) },
);

/**
 * The beginning of every world: a stream of each kind with messages that some subscribers did not receive, a file,
 * direct messages, a user who has left, and an archived stream. Users: 0 owner, 1 administrator, 2 moderator, 3 and 4
 * members, 5 and 6 guests, 7 a bot.
 */
export const beginning: readonly WorldStep[] = [
  creating(0, 'public', [0, 1, 3]),
  creating(0, 'web', [0, 3, 5]),
  creating(3, 'shared', [3, 4]),
  creating(3, 'guarded', [3, 4, 7]),
  creating(3, 'public', [3, 4]),
  ...[0, 1, 2, 3, 4].map((stream) => sending(3, stream, 'soup', { file: 'new', mention: 4 })),
  starring(4, 3),
  starring(2, 0),
  unsubscribing(3, 4),
  subscribing(1, 0, 5),
  subscribing(3, 2, 6),
  subscribing(3, 3, 5),
  subscribing(3, 3, 2),
  ...[0, 1, 2, 3].map((stream) => sending(3, stream, 'bread', { mention: 5 })),
  unsubscribing(0, 5),
  writing(3, [4, 6]),
  writing(5, [3]),
  archiving(4),
];

/**
 * The steps of every world after its queues were registered: users lose messages that are still to be delivered to
 * them.
 */
export const losing: readonly WorldStep[] = [
  subscribing(3, 2, 4),
  sending(3, 2, 'soup', { mention: 4 }),
  sending(3, 2, 'soup'),
  sending(3, 3, 'bread', { mention: 2 }),
  unsubscribing(2, 4),
  unsubscribing(3, 2),
  subscribing(1, 0, 5),
  sending(3, 0, 'soup', { mention: 5 }),
  reacting(3, 2),
  reacting(0, 0),
  editing(2),
  editing(3),
  unsubscribing(0, 5),
  subscribing(3, 2, 2),
  // Sent, and then moved or deleted: to users of both streams, of the old one, of the new one.
  sending(0, 0, 'bread', { mention: 1 }),
  moving(0, -1, 1, 'change_one'),
  sending(3, 0, 'bread', { mention: 1 }),
  moving(3, -1, 3, 'change_one'),
  sending(3, 0, 'bread', { mention: 1 }),
  deleting(3, -1),
];
