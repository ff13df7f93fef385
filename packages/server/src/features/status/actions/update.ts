import type { Ctx } from '../../../core/context.ts';
import type { Params } from '../../../core/contract.ts';
import { failInvalid } from '../../../core/errors.ts';
import { type Emoji, requireEmoji } from '../../emoji/index.ts';
import { changeUserSettings } from '../../user-settings/index.ts';
import { findAudienceOfUser, lockUser } from '../../users/index.ts';
import { type StatusContent, updateStatusContent } from '../queries.ts';
import { NO_EMOJI, statusProblem } from '../rules.ts';

type StatusParams = Params<'updateStatus'>;

/** Changes the caller's status (specification 4.10). Only the given fields change, and only these are emitted. */
export async function updateStatus(ctx: Ctx, params: StatusParams): Promise<void> {
  const problem = statusProblem(params);
  if (problem !== undefined) failInvalid(problem);
  const { away, status_text } = params;
  const said: Partial<StatusContent> = {
    ...(status_text !== undefined && { status_text: status_text.trim() }),
    ...(await emojiOf(ctx, params)),
  };
  await lockUser(ctx.db, ctx.me);
  if (away !== undefined) await changeUserSettings(ctx, ctx.me, { presence_enabled: !away });
  if (Object.keys(said).length > 0) await updateStatusContent(ctx.db, ctx.me, said);
  ctx.emit(
    { type: 'user_status', user_id: ctx.me.id, ...(away !== undefined && { away }), ...said },
    await findAudienceOfUser(ctx, ctx.me.id),
  );
}

async function emojiOf(ctx: Ctx, { emoji_name, emoji_code, reaction_type }: StatusParams): Promise<Emoji | undefined> {
  if (emoji_name === undefined) return undefined;
  return emoji_name === '' ? NO_EMOJI : requireEmoji(ctx, { emoji_name, emoji_code, reaction_type });
}
