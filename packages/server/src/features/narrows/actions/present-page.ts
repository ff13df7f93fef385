import type { Ctx } from '../../../core/context.ts';
import type { Schema } from '../../../core/contract.ts';
import { FairQueue } from '../../../core/fair-queue.ts';
import { bounds } from '../../../core/limits.ts';
import type { UserNaming } from '../../../core/named-users.ts';
import { countWithin, getResponseBudget } from '../../../core/response-size.ts';
import { type ItemSerialization, SerializedList } from '../../../core/serialized-items.ts';
import { createYield } from '../../../core/slices.ts';
import { createPageLinkifierBudget, listTopicLinks } from '../../../text/markdown.ts';
import { listCompiledLinkifiers } from '../../linkifiers/index.ts';
import { presentMessage, type ShownMessage } from '../../messages/index.ts';
import type { ResolvedTerm } from '../queries/narrow.ts';
import type { FoundMessage } from '../queries/page.ts';
import { CHUNK, loadMessages, type PageMessages } from '../queries/page-messages.ts';
import { ResponseRoom } from '../rules/response-room.ts';
import { loadEdits, presentEdits } from './page-edits.ts';
import { createMatchMarker, type MatchMarker } from './search.ts';

type Look = { apply_markdown: boolean; client_gravatar: boolean };

interface PresentPageOptions {
  readonly look: Look;
  readonly terms: readonly ResolvedTerm[];
  /** How many of the messages the response contains whatever their size. */
  readonly fewest: number;
  /** The messages, if they were loaded with the page. */
  readonly loaded?: PageMessages | undefined;
}

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

/** Bytes of texts from which on a page is large. */
const LARGE = 1024 * 1024;

/** The number of large pages that are made at once, each for another account: each holds all its texts in memory. */
const largePages = new FairQueue({ running: 2, waiting: Number.POSITIVE_INFINITY, errorMessage: '' });

interface PresentedPage {
  readonly messages: Schema<'Message'>[] | SerializedList<Schema<'Message'>>;
  /** How many of the messages were examined for it. */
  readonly taken: number;
}

/** Returns the first of these messages: as many as the response has room for. */
export async function presentPage(
  ctx: Ctx<ItemSerialization & UserNaming>,
  order: readonly FoundMessage[],
  options: PresentPageOptions,
): Promise<PresentedPage> {
  const sizes = order.map(({ size }) => size);
  const first = order.slice(0, countWithin(sizes, getResponseBudget('getMessages'), options.fewest));
  if (first.reduce((sum, { size }) => sum + size, 0) <= LARGE) return presentFirst(ctx, first, options);
  return largePages.run(`${ctx.realm.id}:${ctx.me.id}`, () => presentFirst(ctx, first, options));
}

/** Cuts messages into those of each statement: one at least, however large it is. */
function cutIntoChunks(messages: readonly FoundMessage[]): number[][] {
  const chunks: number[][] = [];
  let [chunk, bytes]: [number[], number] = [[], 0];
  for (const { id, size } of messages) {
    if (chunk.length > 0 && (chunk.length === CHUNK.messages || bytes + size > CHUNK.bytes)) {
      chunks.push(chunk);
      [chunk, bytes] = [[], 0];
    }
    chunk.push(id);
    bytes += size;
  }
  return chunk.length > 0 ? [...chunks, chunk] : chunks;
}

async function presentFirst(
  ctx: Ctx<ItemSerialization & UserNaming>,
  first: readonly FoundMessage[],
  { look, terms, fewest, loaded }: PresentPageOptions,
): Promise<PresentedPage> {
  const budget = createPageBudget();
  const { server } = ctx;
  const yieldIfDue = createYield();
  const serialize = (one: Schema<'Message'>) => server.serializeItem('getMessages', one);
  const room = new ResponseRoom(getResponseBudget('getMessages'), serialize, yieldIfDue);
  let taken = 0;
  for (const chunk of cutIntoChunks(first)) {
    const page = loaded ?? (await loadMessages(ctx, chunk, look));
    const marker = await createMatchMarker(ctx.db, terms, page.messages);
    const present = await createPresenter(ctx, page, { look, budget, marker });
    const byId = new Map(page.messages.map((message) => [message.id, message]));
    for (const id of chunk) {
      const message = byId.get(id);
      const presented = message && present(message);
      // Undefined if another request deleted it meanwhile.
      const added = presented === undefined || room.add(presented, taken < fewest);
      if (!(typeof added === 'boolean' ? added : await added)) return { messages: listMessages(room), taken };
      taken++;
      const due = yieldIfDue();
      if (due) await due;
    }
  }
  return { messages: listMessages(room), taken };
}

function listMessages(room: ResponseRoom): PresentedPage['messages'] {
  const list = room.list();
  return 'json' in list ? new SerializedList(list.json) : list.messages;
}

interface Details {
  readonly look: Look;
  readonly budget: PageBudget;
  readonly marker?: MatchMarker | undefined;
}

/**
 * Loads what messages in the documented shape consist of, including their changes. The number of statements does not
 * depend on the number of messages.
 */
export async function createPresenter(
  ctx: Ctx,
  { messages, reactions, moves, renamings }: PageMessages,
  { look, budget, marker }: Details,
): Promise<(message: ShownMessage) => Schema<'Message'>> {
  const edits = await loadEdits(ctx, messages, { moves, renamings }, budget);
  const links = await loadTopicLinks(ctx, messages, budget.topic_links);
  return (message) => {
    const additions = { reactions: reactions.get(message.id), topic_links: links.get(message.topic ?? '') };
    const presented = presentMessage(ctx.realm, message, look, additions);
    presented.flags = [...message.flags];
    const changes = edits.get(message.id);
    if (changes) Object.assign(presented, presentEdits(ctx, changes));
    return marker ? Object.assign(presented, marker(message)) : presented;
  };
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
