import type { Ctx } from '../../../core/context.ts';
import { compose, requireContent } from './compose.ts';

/** Returns the HTML that a message with this text would have if the caller sent it. */
export async function renderMessage(ctx: Ctx, content: string): Promise<string> {
  const [text] = await compose(ctx, [requireContent(content)]);
  if (!text) throw new Error('unreachable');
  return text.html;
}
