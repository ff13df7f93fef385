import { canSeeStream } from '../../../access/rules.ts';
import type { Ctx, User } from '../../../core/context.ts';
import type { Schema } from '../../../core/contract.ts';
import { fail } from '../../../core/errors.ts';
import { findUsersByIdOrEmail } from '../../messages/index.ts';
import { findStreamById, findStreamsByNames, type SeenStream, streamKey } from '../../streams/index.ts';
import { type ResolvedTerm, withSearchIndex } from '../queries/narrow.ts';
import { listWordQueries } from '../queries/search.ts';
import { type NarrowTerm, parseNarrow, type SearchWords } from '../rules/narrow.ts';

/** The objects that the names in a narrow refer to. */
interface Known {
  readonly streams: ReadonlyMap<number | string, SeenStream>;
  readonly users: ReadonlyMap<number | string, User>;
  /** Of the words that full text search does not skip. */
  readonly queries: ReadonlyMap<SearchWords, string>;
}

/** Resolves everything that the terms of a narrow name, or fails with the term that cannot be resolved. */
export async function requireNarrow(ctx: Ctx, narrow: Schema<'Narrow'>): Promise<ResolvedTerm[]> {
  const read = parseNarrow(narrow);
  if ('problem' in read) return badNarrow(read.problem);
  const known = {
    streams: await findStreams(ctx, read.terms),
    users: await findUsersByIdOrEmail(ctx, read.terms.flatMap(listUsers)),
    queries: await listWordQueries(
      ctx.db,
      read.terms.flatMap((term) => (term.is_a === 'search' ? term.words : [])),
    ),
  };
  const terms = read.terms.map((term) => resolve(ctx, term, known));
  return withSearchIndex(ctx.db, ctx.me, terms);
}

function badNarrow(desc: string): never {
  return fail('BAD_NARROW', `Invalid narrow: ${desc}`, { desc });
}

async function findStreams(ctx: Ctx, terms: readonly NarrowTerm[]): Promise<Known['streams']> {
  const named = [...new Set(terms.flatMap((term) => (term.is_a === 'stream' ? [term.stream] : [])))];
  const byName = await findStreamsByNames(
    ctx,
    named.filter((one) => typeof one === 'string'),
  );
  const byId = await Promise.all(named.filter((one) => typeof one === 'number').map((id) => findStreamById(ctx, id)));
  const found = [...byName, ...byId.flatMap((stream) => (stream ? [[stream.id, stream] as const] : []))];
  return new Map<number | string, SeenStream>(
    found.filter(([, stream]) => canSeeStream(ctx.me, stream, stream.subscribed)),
  );
}

function listUsers(term: NarrowTerm): (number | string)[] {
  if (term.is_a === 'sender' || term.is_a === 'dm-including') return [term.user];
  return term.is_a === 'dm' ? term.users : [];
}

function resolve(ctx: Ctx, term: NarrowTerm, known: Known): ResolvedTerm {
  const { negated } = term;
  switch (term.is_a) {
    case 'stream': {
      const stream = known.streams.get(typeof term.stream === 'string' ? streamKey(term.stream) : term.stream);
      return {
        is_a: 'stream',
        negated,
        stream_id: stream?.id ?? badNarrow(`Unknown stream ${JSON.stringify(term.stream)}`),
      };
    }
    case 'sender':
    case 'dm-including':
      return { is_a: term.is_a, negated, user_id: idOf(term.user, known) };
    case 'dm':
      return { is_a: 'dm', negated, user_ids: [ctx.me.id, ...term.users.map((user) => idOf(user, known))] };
    case 'search':
      return { is_a: 'search', negated, ...toSearch(term.words, known.queries), index: 'none' };
    default:
      return term;
  }
}

const idOf = (user: number | string, { users }: Known): number =>
  users.get(user)?.id ?? badNarrow(`Unknown user ${JSON.stringify(user)}`);

/** Words that full text search skips count only when a search has no others, and then literally. */
function toSearch(
  words: readonly SearchWords[],
  known: Known['queries'],
): Pick<Extract<ResolvedTerm, { is_a: 'search' }>, 'texts' | 'queries'> {
  const indexed = words.filter((word) => known.has(word));
  const sought = indexed.length > 0 ? indexed : words;
  return { texts: sought.map(({ text }) => text), queries: indexed.flatMap((word) => known.get(word) ?? []) };
}
