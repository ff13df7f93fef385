import type { Ctx } from '../../../core/context.ts';
import type { Schema } from '../../../core/contract.ts';
import { bounds } from '../../../core/limits.ts';
import { createPageLinkifierBudget, listTopicLinks } from '../../../text/markdown.ts';
import { listCompiledLinkifiers } from '../../linkifiers/index.ts';
import { type MessageFormat, presentMessage, type ShownMessage } from '../../messages/index.ts';
import type { PageMessages } from '../queries/page-messages.ts';
import { loadEdits, presentEdits } from './page-edits.ts';
import type { MatchMarker } from './search.ts';

/** What all messages of a response can still cost. */
interface PageBudget {
  readonly topic_links: ReturnType<typeof createPageLinkifierBudget>;
  /** Bytes of earlier versions. */
  versions: number;
}

export const createPageBudget = (): PageBudget => ({
  topic_links: createPageLinkifierBudget(),
  versions: bounds.page_versions,
});

interface Details {
  readonly look: MessageFormat;
  readonly budget: PageBudget;
  readonly marker?: MatchMarker | undefined;
}

export interface Presenter {
  /** The message in the documented shape. */
  readonly present: (message: ShownMessage) => Schema<'Message'>;
  /** Whether all that it shows is in the message itself, and its flags are last. */
  readonly isPlain: (message: ShownMessage) => boolean;
}

/**
 * Loads what messages in the documented shape consist of, including their changes. The number of statements does not
 * depend on the number of messages.
 */
export async function createPresenter(
  ctx: Ctx,
  { messages, reactions, moves, renamings }: PageMessages,
  { look, budget, marker }: Details,
): Promise<Presenter> {
  const edits = await loadEdits(ctx, messages, { moves, renamings }, budget);
  const links = await loadTopicLinks(ctx, messages, budget.topic_links);
  const present = (message: ShownMessage) => {
    const additions = { reactions: reactions.get(message.id), topic_links: links.get(message.topic ?? '') };
    const presented = presentMessage(ctx.realm, message, look, additions);
    presented.flags = [...message.flags];
    const changes = edits.get(message.id);
    if (changes) Object.assign(presented, presentEdits(ctx, changes));
    return marker ? Object.assign(presented, marker(message)) : presented;
  };
  const isPlain = ({ id, stream_name, topic }: ShownMessage) =>
    !marker &&
    stream_name !== null &&
    !reactions.has(id) &&
    !edits.has(id) &&
    (links.get(topic ?? '')?.length ?? 0) === 0;
  return { present, isPlain };
}

/**
 * The links of each topic of a page. If there are more than can be examined, those of the newest messages come first.
 */
async function loadTopicLinks(
  ctx: Ctx,
  messages: readonly ShownMessage[],
  budget: PageBudget['topic_links'],
): Promise<Map<string, Schema<'Message'>['topic_links']>> {
  const topics = new Set(messages.map(({ topic }) => topic ?? '').reverse());
  topics.delete('');
  if (topics.size === 0) return new Map();
  const linkifiers = await listCompiledLinkifiers(ctx);
  return new Map([...topics].map((topic) => [topic, listTopicLinks(topic, linkifiers, budget)]));
}
