import type { Db } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import type { User } from '../../../core/context.ts';
import { RESOLVED_PREFIX, topicKey } from '../../../text/topics.ts';
import { messageViewOf } from '../../flags/index.ts';
import { memberKey } from '../../messages/index.ts';
import type { TermMeaning } from '../rules/narrow.ts';
import type { IdSpan } from '../rules/search-spans.ts';
import { FLAGS, type FlagProperty, flaggedId, flaggedMessages, isFlagged, isWildcardOnly } from './flagged.ts';
import {
  chooseIndexUse,
  contentHas,
  contentHasRest,
  hasTexts,
  type IndexUse,
  messagesWith,
  selectTopicsWith,
  type WordQueries,
} from './search.ts';
import { areManyUnread, fewUnreadMessages, unreadId } from './unread.ts';

type Me = Pick<User, 'realm_id' | 'id' | 'role'>;
type Plain = Exclude<TermMeaning, { is_a: 'stream' | 'sender' | 'dm-including' | 'dm' | 'search' }>;

/** A term whose stream and users are known to exist. */
export type ResolvedTerm = { readonly negated: boolean } & (
  | Plain
  | { is_a: 'stream'; stream_id: number }
  | { is_a: 'sender' | 'dm-including'; user_id: number }
  | { is_a: 'dm'; user_ids: number[] }
  | { is_a: 'search'; texts: readonly string[]; queries: WordQueries; index: IndexUse }
);

/** A few conversations or topics. An index has the messages of each in order, and none those of all of them. */
interface ConversationsOrTopics {
  readonly column: SQL;
  /** Selects their `id`. */
  readonly ids: SQL;
}

/** Where the messages of a narrow are: `from ${source(order)} where ${where}`, with the message as `m`. */
export interface NarrowSql {
  /** `asc` or `desc` is the order of the ids that the query asks for, which need not be that of an index. */
  readonly source: (order: SQL) => SQL;
  readonly where: SQL;
  /** The id of the message, in the order of the source if it has one. */
  readonly id: SQL;
  /** What the messages must be in as well: one of several conversations or topics. */
  readonly several: ConversationsOrTopics | undefined;
  /** Whether the source has them by id, without others between them that the viewer could read. */
  readonly isIndexed: boolean;
}

type SearchTerm = Extract<ResolvedTerm, { is_a: 'search' }>;

/** The terms, with the way in which the messages of a search are found. Several searches become one: for the words of all. */
export async function withSearchIndex(db: Db, me: Me, terms: readonly ResolvedTerm[]): Promise<ResolvedTerm[]> {
  const searches = terms.filter(
    (term): term is SearchTerm => term.is_a === 'search' && !term.negated && term.queries.length > 0,
  );
  if (searches.length === 0) return [...terms];
  const others = terms.filter((term) => !searches.some((search) => search === term));
  const texts = searches.flatMap((search) => search.texts);
  const queries = [...new Set(searches.flatMap((search) => search.queries))];
  const use = await chooseIndexUse(db, me.realm_id, queries, conversationsOf(me, others));
  const index = use === 'far' && others.some(isSelective) ? 'none' : use;
  return [...others, { is_a: 'search', negated: false, texts, queries, index }];
}

/** Whether another index finds the messages of a term: those of a topic, or by what is stored of the user. */
const isSelective = ({ is_a, negated }: ResolvedTerm): boolean => !negated && ['topic', 'is', 'id'].includes(is_a);

/** The search of a narrow that the index of words can find. */
export const findIndexedSearch = (terms: readonly ResolvedTerm[]): SearchTerm | undefined =>
  terms.find((term): term is SearchTerm => term.is_a === 'search' && term.index !== 'none');

/** The queries that find the messages of a narrow. No message is in the rows of two of them. */
export function toNarrowSql(me: Me, terms: readonly ResolvedTerm[]): readonly NarrowSql[] {
  const positiveTerms = terms.filter(({ negated }) => !negated);
  const properties = positiveTerms.flatMap((term) => (term.is_a === 'is' ? [term.property] : []));
  const flag = FLAGS.find((one) => properties.includes(one));
  const all = narrowFrom(me, terms, () => sql`messages m`);
  const search = findIndexedSearch(terms);
  if (search?.index === 'all') return searchFrom(me, terms, { search });
  if (properties.includes('unread')) return unreadFrom(me, terms, all);
  return flag ? flaggedFrom(me, terms, { all, flag }) : [all];
}

/** Those whose content has all words, by the index of words; the others topic by topic. All of them, or those of some ids. */
export function searchFrom(
  me: Me,
  terms: readonly ResolvedTerm[],
  { search, span }: { search: SearchTerm; span?: IdSpan },
): readonly NarrowSql[] {
  const { realm_id } = me;
  const { queries } = search;
  const others = terms.filter((term) => term !== search);
  // Never with a plan for all parameters, which cannot know how many messages have the words.
  const all = { ...narrowFrom(me, others, () => sql`messages m`), isIndexed: false };
  const where = allOf(all);
  return [
    {
      ...all,
      source: narrowFrom(me, others, () => messagesWith(realm_id, queries, span)).source,
      several: undefined,
      where,
    },
    {
      ...all,
      where: sql`not ${contentHas(queries)} and ${contentHasRest(realm_id, queries)} and ${where}`,
      several: { column: sql`m.topic_id`, ids: selectTopicsWith(realm_id, queries, conversationsOf(me, others)) },
    },
  ];
}

/** The number of unread messages decides which of two queries returns rows. */
function unreadFrom(me: Me, terms: readonly ResolvedTerm[], all: NarrowSql): readonly NarrowSql[] {
  const conversations = conversationsOf(me, terms);
  const messages = (order: SQL) => fewUnreadMessages(me, order, conversations);
  const others = isIndexed(terms.filter((term) => term.negated || term.is_a !== 'is' || term.property !== 'unread'));
  const few = { ...narrowFrom(me, terms, messages), id: unreadId, several: undefined };
  return [
    { ...few, where: allOf(all), isIndexed: others },
    { ...all, where: sql`${areManyUnread(me, conversations)} and ${all.where}`, isIndexed: others },
  ];
}

/** By the flags of the user, and by wildcard mentions, which are stored with the messages. */
function flaggedFrom(
  me: Me,
  terms: readonly ResolvedTerm[],
  { all, flag }: { all: NarrowSql; flag: FlagProperty },
): readonly NarrowSql[] {
  const where = allOf(all);
  const byFlags = {
    ...narrowFrom(me, terms, () => flaggedMessages(me)),
    ...{ where: sql`${isFlagged(me, flag)} and ${where}`, id: flaggedId, several: undefined },
  };
  if (flag !== 'mentioned') return [byFlags];
  return [byFlags, { ...all, where: sql`${isWildcardOnly} and ${where}`, several: undefined }];
}

/** The whole condition of a narrow, for messages that are not read conversation by conversation or topic by topic. */
export const allOf = ({ where, several }: Pick<NarrowSql, 'where' | 'several'>): SQL =>
  several ? sql`${where} and ${several.column} in (${several.ids})` : where;

function narrowFrom(me: Me, terms: readonly ResolvedTerm[], messages: NarrowSql['source']): NarrowSql {
  const { joins, readable, has_row, unread } = messageViewOf(me);
  const positiveTerms = terms.filter(({ negated }) => !negated);
  const isWide = positiveTerms.some(
    (term) => term.is_a === 'stream' || (term.is_a === 'streams' && term.streams === 'public'),
  );
  const isInOne = positiveTerms.some(({ is_a }) => is_a === 'stream' || is_a === 'dm');
  const inSeveral = isInOne ? undefined : positiveTerms.find(isInSeveral);
  const conditions = terms.flatMap((term) => {
    if (term === inSeveral) return [];
    const condition = conditionOf(me, term, positiveTerms, unread);
    return [term.negated && term.is_a !== 'near' ? sql`not coalesce(${condition}, false)` : condition];
  });
  return {
    source: (order) => sql`${messages(order)} ${joins}
      left join topics t on t.realm_id = m.realm_id and t.id = m.topic_id
      left join user_topics ut on ut.realm_id = m.realm_id and ut.user_id = ${me.id} and ut.topic_id = m.topic_id`,
    where: sql.join(
      [sql`m.realm_id = ${me.realm_id}`, ...(isWide ? [] : [canHaveRow(me), has_row]), readable, ...conditions],
      sql` and `,
    ),
    id: sql`m.id`,
    several: inSeveral && selectConversationsOrTopics(me, inSeveral),
    isIndexed: isIndexed(terms),
  };
}

/** Everything, a stream, a topic of it, or a direct conversation. */
function isIndexed(terms: readonly ResolvedTerm[]): boolean {
  const kinds = terms.map(({ is_a, negated }) => (negated ? 'other' : is_a)).filter((is_a) => is_a !== 'near');
  return ['', 'stream', 'stream,topic', 'dm'].includes(kinds.sort().join());
}

/** Whether a term is about several direct conversations of the user, or topics of one name. */
const isInSeveral = (term: ResolvedTerm): boolean => term.is_a === 'topic' || isAboutDirect(term);

const isAboutDirect = (term: ResolvedTerm): boolean =>
  term.is_a === 'dm-including' || (term.is_a === 'is' && (term.property === 'dm' || term.property === 'private'));

function selectConversationsOrTopics(me: Me, term: ResolvedTerm): ConversationsOrTopics | undefined {
  if (term.is_a === 'topic') return { column: sql`m.topic_id`, ids: topicsNamed(me, term.topic) };
  const ids = conversationsOf(me, [term]);
  return ids && { column: sql`m.conversation_id`, ids };
}

/** Selects the `id` of the conversations that all messages of a narrow are in, as far as one of its terms says. */
function conversationsOf(me: Me, terms: readonly ResolvedTerm[]): SQL | undefined {
  for (const term of terms) {
    if (term.negated) continue;
    if (term.is_a === 'stream') return sql`select ${term.stream_id}::bigint as id`;
    if (term.is_a === 'dm') return sql`select ${directWith(me, term.user_ids)} as id`;
    if (term.is_a === 'dm-including') return directOf(me, term.user_id);
    if (isAboutDirect(term)) return directOf(me, me.id);
  }
  return undefined;
}

// A weaker condition than has_row, of the message alone: it skips other messages before the joins look anything up.
const canHaveRow = (me: Me): SQL => sql`(
  m.conversation_id in (select x.conversation_id from memberships x where x.realm_id = ${me.realm_id} and x.user_id = ${me.id})
  or m.id in (select x.message_id from message_flags x where x.realm_id = ${me.realm_id} and x.user_id = ${me.id}))`;

function conditionOf(me: Me, term: ResolvedTerm, positiveTerms: readonly ResolvedTerm[], unread: SQL): SQL {
  switch (term.is_a) {
    case 'stream':
      return sql`m.conversation_id = ${term.stream_id}`;
    case 'streams':
      return term.streams === 'public' ? sql`not ms.invite_only` : sql`ms.is_web_public`;
    case 'topic':
      return inTopic(me, term.topic, positiveTerms);
    case 'sender':
      return sql`m.sender_id = ${term.user_id}`;
    case 'dm':
      return sql`m.conversation_id = ${directWith(me, term.user_ids)}`;
    case 'dm-including':
      return sql`m.conversation_id in (${directOf(me, term.user_id)})`;
    case 'is':
      return hasProperty(me, term.property, unread);
    case 'has':
      return sql`m.${sql.identifier(`has_${term.part}`)}`;
    case 'in':
      return term.scope === 'all' ? sql`true` : atHome;
    case 'id':
      return sql`m.id = ${term.id}`;
    // The term only affects what a client shows, so it filters nothing.
    case 'near':
      return sql`true`;
    case 'search':
      return contains(me, term);
  }
}

// A policy for the topic takes precedence over a muted stream.
const atHome = sql`case coalesce(ut.visibility_policy, 0) when 0 then not coalesce(own.is_muted, false) when 1 then false else true end`;

const directWith = (me: Me, user_ids: number[]): SQL => sql`(
  select x.id from direct_conversations x where x.realm_id = ${me.realm_id} and x.member_key = ${memberKey(user_ids)})`;

const directOf = (me: Me, user_id: number): SQL => sql`
  select x.conversation_id as id from memberships x join direct_conversations d using (realm_id)
  where d.id = x.conversation_id and x.realm_id = ${me.realm_id} and x.user_id = ${user_id}`;

const topicsNamed = (me: Me, name: string): SQL =>
  sql`select x.id from topics x where x.realm_id = ${me.realm_id} and x.name_key = ${topicKey(name)}`;

function inTopic(me: Me, name: string, positiveTerms: readonly ResolvedTerm[]): SQL {
  const stream = positiveTerms.find((term) => term.is_a === 'stream');
  if (stream?.is_a !== 'stream') return sql`m.topic_id in (${topicsNamed(me, name)})`;
  // At most one topic matches, so its index returns the messages in order.
  return sql`m.topic_id = (${topicsNamed(me, name)} and x.conversation_id = ${stream.stream_id})`;
}

function hasProperty(me: Me, property: Extract<Plain, { is_a: 'is' }>['property'], unread: SQL): SQL {
  switch (property) {
    case 'dm':
    case 'private':
      return sql`m.conversation_id in (${directOf(me, me.id)})`;
    case 'starred':
      return sql`mf.starred`;
    case 'unread':
      return unread;
    case 'mentioned':
      return mentioned(me);
    case 'alerted':
      return sql`mf.has_alert_word`;
    case 'resolved':
      return sql`starts_with(t.name, ${RESOLVED_PREFIX})`;
  }
}

const mentioned = (me: Me): SQL => sql`(mf.mentioned or coalesce(own.received @> m.seq, false)
  and (m.stream_wildcard or coalesce(${me.id}::bigint = any(m.topic_wildcard_user_ids), false)))`;

/** Whether content and topic together have the words of a search: literally, where full text search would skip them. */
function contains({ realm_id }: Me, { texts, queries }: SearchTerm): SQL {
  if (queries.length === 0) return hasTexts(texts);
  const hasRest = sql`m.topic_id in (${selectTopicsWith(realm_id, queries)}) and ${contentHasRest(realm_id, queries)}`;
  return sql`(${contentHas(queries)} or ${hasRest})`;
}
