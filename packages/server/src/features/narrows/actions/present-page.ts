import type { Ctx } from '../../../core/context.ts';
import type { Schema } from '../../../core/contract.ts';
import { FairQueue } from '../../../core/fair-queue.ts';
import type { UserNaming } from '../../../core/named-users.ts';
import { countWithin, getResponseBudget } from '../../../core/response-size.ts';
import { type ItemSerialization, SerializedList } from '../../../core/serialized-items.ts';
import { createYield } from '../../../core/slices.ts';
import type { MessageFormat } from '../../messages/index.ts';
import type { ResolvedTerm } from '../queries/narrow.ts';
import type { FoundMessage } from '../queries/page.ts';
import { CHUNK, loadMessages, type PageMessages } from '../queries/page-messages.ts';
import { ResponseRoom } from '../rules/response-room.ts';
import { createPageBudget, createPresenter } from './present-message.ts';
import { createMatchMarker } from './search.ts';
import { createMessageSerializer } from './serialize-message.ts';

interface PresentPageOptions {
  readonly look: MessageFormat;
  readonly terms: readonly ResolvedTerm[];
  /** How many of the messages the response contains whatever their size. */
  readonly fewest: number;
  /** The messages, if they were loaded with the page. */
  readonly loaded?: PageMessages | undefined;
}

/** Bytes of texts from which on a page is large. */
const LARGE = 1024 * 1024;

/** The number of large pages that are made at once, each for another account: each holds all its texts in memory. */
const largePages = new FairQueue({ running: 2, waiting: Number.POSITIVE_INFINITY, errorMessage: '' });

interface PresentedPage {
  readonly messages: SerializedList<Schema<'Message'>>;
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
  const yieldIfDue = createYield();
  const room = new ResponseRoom(getResponseBudget('getMessages'));
  const presented = (taken: number) => ({ messages: new SerializedList<Schema<'Message'>>(room.list()), taken });
  let taken = 0;
  for (const chunk of cutIntoChunks(first)) {
    const page = loaded ?? (await loadMessages(ctx, chunk, look));
    const marker = await createMatchMarker(ctx.db, terms, page.messages);
    const serialize = createMessageSerializer(ctx, look, await createPresenter(ctx, page, { look, budget, marker }));
    const byId = new Map(page.messages.map((message) => [message.id, message]));
    for (const id of chunk) {
      const message = byId.get(id);
      // Undefined if another request deleted it meanwhile.
      if (message && !room.add(id, serialize(message), taken < fewest)) return presented(taken);
      taken++;
      const due = yieldIfDue();
      if (due) await due;
    }
  }
  return presented(taken);
}
