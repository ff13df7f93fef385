import { type SQL, sql } from 'drizzle-orm';

/** In the text of a statement, so that it also says in the log of PostgreSQL how it is planned. */
const MARK = '/* generic plan */';

/**
 * To follow the first word, `select` or `with`, of a statement that reads few rows in the order of an index, whatever its parameters. PostgreSQL compares what it
 * expects of a plan for these parameters with what it expects of one for all, and cannot know the values of `limit` and of ranges for
 * the latter, so it plans such a statement each time: that takes several times longer than running it. Outside a transaction the
 * statement has one plan for each connection instead. Show with `explain` that both plans use the same index before you mark a
 * statement: a search or a filter that few rows pass needs a plan for its parameters.
 */
export const withGenericPlan: SQL = sql.raw(MARK);

export const hasGenericPlan = (text: string): boolean =>
  text.startsWith(`select ${MARK}`) || text.startsWith(`with ${MARK}`);

/**
 * Lasts as long as the transaction, which ends with the statement that goes out with it. A plan that was made while a table was small
 * would read all of it for each row of a page, also when it has grown: only indexes are used. A plan with Memoize nodes allocates, each
 * time it starts, room for the rows that the planner expects: with millions of messages that takes longer than to read a page.
 */
export const FORCE_GENERIC_PLAN = `select set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true), set_config('enable_memoize', 'off', true)`;
