import { canAccessStream, canSeeStream } from '../../../access/rules.ts';
import type { Ctx, User } from '../../../core/context.ts';
import type { Params } from '../../../core/contract.ts';
import { fail, failConflict, failForbidden, failInvalid, failUnknown } from '../../../core/errors.ts';
import {
  findStreamById,
  findStreamsByNames,
  type PostableStream,
  postingProblem,
  type SeenStream,
  streamKey,
} from '../../streams/index.ts';
import { listUsersByApiEmails, listUsersByIds, listVisibleUserIds } from '../../users/index.ts';
import { listMembersAmong } from '../queries/send.ts';
import { parseStreamTarget } from '../rules/send.ts';

type To = Params<'sendMessage'>['to'];

/** The stream of a message to be sent. `problem` is the reason why the caller cannot post there, if there is one. */
export interface Postable<Found extends PostableStream = PostableStream> {
  readonly stream: Found;
  readonly problem: string | undefined;
}

/**
 * Returns the stream that `to` names, if the caller can see it. A reason against posting there is reported after errors
 * of the text.
 */
export const requirePostable = (ctx: Ctx, to: To): Promise<Postable> => requirePostableBy(ctx, to, findStream);

/** The same; `find` reads the stream. */
export async function requirePostableBy(ctx: Ctx, to: To, find: FindStream): Promise<Postable> {
  const target = parseStreamTarget(to);
  if (target === undefined) return failInvalid('to: a stream message goes to exactly one stream.');
  return (await findPostableBy(ctx, target, find)) ?? unknownStream(target);
}

type FindStream<Found extends PostableStream = PostableStream> = (
  ctx: Ctx,
  target: number | string,
) => Promise<Found | undefined>;

/** Returns the stream of this name or id, if the caller can see it. A bot can see what its owner can see. */
export const findPostable = (ctx: Ctx, target: number | string): Promise<Postable<SeenStream> | undefined> =>
  findPostableBy(ctx, target, findStream);

async function findPostableBy<Found extends PostableStream>(
  ctx: Ctx,
  target: number | string,
  find: FindStream<Found>,
): Promise<Postable<Found> | undefined> {
  const stream = await find(ctx, target);
  if (!stream) return undefined;
  const { owner, owner_subscribed } = await ownerOf(ctx, stream);
  const isVisible =
    canSeeStream(ctx.me, stream, stream.subscribed) || (owner && canSeeStream(owner, stream, owner_subscribed));
  if (!isVisible) return undefined;
  const policy_facts = { waiting_period_threshold: ctx.realm.settings.waiting_period_threshold, now: ctx.now };
  const { me } = ctx;
  return {
    stream,
    problem: postingProblem({ me, owner, stream, subscribed: stream.subscribed, owner_subscribed, policy_facts }),
  };
}

async function findStream(ctx: Ctx, target: number | string): Promise<SeenStream | undefined> {
  if (typeof target === 'number') return findStreamById(ctx, target);
  return (await findStreamsByNames(ctx, [target])).get(streamKey(target));
}

/**
 * Returns the stream that messages are moved to: the caller must be able to read it and post to it; a bot can where its
 * owner can.
 */
export async function requireTarget(ctx: Ctx, stream_id: number): Promise<SeenStream> {
  const stream = await findStreamById(ctx, stream_id);
  const { owner, owner_subscribed } = stream ? await ownerOf(ctx, stream) : {};
  if (!stream || !(reaches(ctx.me, stream, stream.subscribed) || (owner && reaches(owner, stream, owner_subscribed))))
    return failUnknown(`stream_id: there is no stream ${stream_id}.`);
  const policy_facts = { waiting_period_threshold: ctx.realm.settings.waiting_period_threshold, now: ctx.now };
  const { me } = ctx;
  const { subscribed } = stream;
  const problem = postingProblem({
    me,
    owner,
    stream,
    subscribed,
    owner_subscribed: owner_subscribed ?? false,
    policy_facts,
  });
  return problem === undefined ? stream : failForbidden(`stream_id: ${problem}`);
}

const reaches = (user: User, stream: SeenStream, subscribed = false): boolean =>
  canAccessStream(user, stream, subscribed);

function unknownStream(target: number | string): never {
  const named = typeof target === 'number' ? { stream_id: target } : { stream: target };
  return fail('STREAM_DOES_NOT_EXIST', `There is no stream ${JSON.stringify(target)}.`, named);
}

async function ownerOf(
  ctx: Ctx,
  stream: Pick<PostableStream, 'id'>,
): Promise<{ owner: User | undefined; owner_subscribed: boolean }> {
  const { bot_owner_id } = ctx.me;
  if (bot_owner_id === null) return { owner: undefined, owner_subscribed: false };
  const [owner] = await listUsersByIds(ctx.db, ctx.realm.id, [bot_owner_id]);
  const members = await listMembersAmong(ctx.db, ctx.realm.id, stream.id, [bot_owner_id]);
  return { owner, owner_subscribed: members.has(bot_owner_id) };
}

/** The users of the conversation: each named user once, and the caller. */
export async function requireMembers(ctx: Ctx, targets: readonly (number | string)[]): Promise<User[]> {
  if (targets.length === 0) return failInvalid('to: a direct message needs at least one recipient.');
  const found = await findUsersByIdOrEmail(ctx, targets);
  const users = targets.map((target) => {
    const user = found.get(target);
    if (!user) return failUnknown(`to: there is no user ${target}.`);
    return user.is_active ? user : failConflict(`to: the user ${target} is deactivated.`);
  });
  return [...new Map([ctx.me, ...users].map((user) => [user.id, user])).values()];
}

/** Users by id or API email as given, as far as the caller can see them. */
export async function findUsersByIdOrEmail(
  ctx: Ctx,
  targets: readonly (number | string)[],
): Promise<Map<number | string, User>> {
  if (targets.length === 0) return new Map();
  const numbered = await listUsersByIds(
    ctx.db,
    ctx.realm.id,
    targets.filter((target) => typeof target === 'number'),
  );
  const addressed = await listUsersByApiEmails(
    ctx,
    targets.filter((target) => typeof target === 'string'),
  );
  const visible = await listVisibleUserIds(ctx);
  const all: (readonly [number | string, User])[] = [...numbered.map((user) => [user.id, user] as const), ...addressed];
  return new Map(all.filter(([, { id, is_system_bot }]) => visible === 'all' || visible.has(id) || is_system_bot));
}
