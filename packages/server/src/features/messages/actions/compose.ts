import { canSeeStream } from '../../../access/rules.ts';
import type { Ctx } from '../../../core/context.ts';
import { failForbidden, failInvalid } from '../../../core/errors.ts';
import { collectFacts, type Rendered, type RenderFacts, references, render } from '../../../text/markdown.ts';
import { listEmojiFor } from '../../emoji/index.ts';
import { listCompiledLinkifiers } from '../../linkifiers/index.ts';
import { findStreamsByNames } from '../../streams/index.ts';
import { listGroupMemberIds, listGroupsByNames } from '../../user-groups/index.ts';
import { listActiveUsersByNames, listUsersByIds, listVisibleUserIds } from '../../users/index.ts';
import { findForbiddenGroup } from '../queries/mentions.ts';
import { contentProblem, normalizeContent } from '../rules/send.ts';

/** A text ready to be sent. */
export interface Composed extends Rendered {
  readonly content: string;
  /** The users in groups that the text mentions, whether or not they receive the message. */
  readonly group_member_ids: readonly number[];
  /** The facts that the text was rendered with. The linkifiers in them apply to the topic, too. */
  readonly linkifiers: RenderFacts['linkifiers'];
}

/** Returns the cleaned text, or fails if it cannot be a message. */
export function requireContent(text: string): string {
  const content = normalizeContent(text);
  const problem = contentProblem(content);
  if (problem !== undefined) failInvalid(problem);
  return content;
}

/** Renders texts with the permissions of `ctx.me`: mentions of what the sender cannot see stay plain text. */
export async function compose(ctx: Ctx, contents: readonly string[]): Promise<Composed[]> {
  const facts = await factsFor(ctx, contents);
  const rendered = contents.map((content) => ({ content, ...render(content, facts) }));
  const members = await listGroupMemberIds(ctx.db, ctx.realm.id, [
    ...new Set(rendered.flatMap((text) => text.mentioned_groups)),
  ]);
  return rendered.map((text) => ({
    ...text,
    group_member_ids: text.mentioned_groups.flatMap((id) => members.get(id) ?? []),
    linkifiers: facts.linkifiers,
  }));
}

async function factsFor(ctx: Ctx, contents: readonly string[]): Promise<RenderFacts> {
  const all = contents.map(references);
  const users = all.flatMap((one) => one.users);
  const streams = await findStreamsByNames(
    ctx,
    all.flatMap((one) => one.streams),
  );
  const isOpen = (stream: Parameters<typeof canSeeStream>[1] & { subscribed: boolean }) =>
    ctx.me.is_system_bot || canSeeStream(ctx.me, stream, stream.subscribed);
  return collectFacts({
    users: await listMentionedUsers(ctx, users),
    groups: await listGroupsByNames(
      ctx.db,
      ctx.realm.id,
      all.flatMap((one) => one.groups.map(({ name }) => name)),
    ),
    streams: [...streams.values()].filter(isOpen),
    emoji: await listEmojiFor(ctx, contents),
    linkifiers: await listCompiledLinkifiers(ctx),
    code_language: ctx.realm.settings.default_code_block_language,
  });
}

async function listMentionedUsers(
  ctx: Ctx,
  mentions: readonly { name: string; id?: number }[],
): Promise<RenderFacts['users']> {
  if (mentions.length === 0) return [];
  const names = mentions.filter(({ id }) => id === undefined).map(({ name }) => name);
  const named = await listActiveUsersByNames(ctx.db, ctx.realm.id, names);
  const numbered = await listUsersByIds(
    ctx.db,
    ctx.realm.id,
    mentions.flatMap(({ id }) => id ?? []),
  );
  const visible = await listVisibleUserIds(ctx);
  return [...named, ...numbered.filter(({ is_active }) => is_active)].filter(
    ({ id }) => visible === 'all' || visible.has(id),
  );
}

/**
 * Fails unless the sender can mention the groups: that takes membership in `can_mention_group`
 * (docs/behaviour/messages.md#group-mentions).
 */
export async function requireGroupMentions(ctx: Ctx, text: Composed): Promise<void> {
  if (text.mentioned_groups.length === 0) return;
  const forbidden = await findForbiddenGroup(ctx.db, ctx.realm.id, ctx.me.id, text.mentioned_groups);
  if (!forbidden) return;
  failForbidden(`You cannot mention the group "${forbidden.name}": only members of "${forbidden.allowed}" can.`);
}
