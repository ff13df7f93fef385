import { type SQL, sql } from 'drizzle-orm';

/** In the text of a statement, so that it also says in the log of PostgreSQL how it is planned. */
const MARK = '/* generic plan */';

/**
 * To follow the first word, `select` or `with`, of a statement that finds few rows by an index, whatever its parameters. PostgreSQL compares what it
 * expects of a plan for these parameters with what it expects of one for all, for which it knows neither the values of `limit` and of ranges
 * nor which parts are not selected, so it plans such a statement each time: that takes several times longer than running it.
 * This statement has one plan for each connection instead. Show with `explain` that both plans use the same index before you mark a
 * statement: a search or a filter that few rows pass needs a plan for its parameters.
 */
export const withGenericPlan: SQL = sql.raw(MARK);

export function hasGenericPlan(text: string): boolean {
  const start = text.trimStart();
  return start.startsWith(`select ${MARK}`) || start.startsWith(`with ${MARK}`);
}

/**
 * Goes out before the statement, and lasts as long as the transaction. Where that goes on, `RESTORE_PLANS` goes out after it. A plan
 * that was made while a table was small would read all of it for each row of a page, also when it has grown: only indexes are used. A plan with Memoize nodes allocates, each
 * time it starts, room for the rows that the planner expects: with millions of messages that takes longer than to read a page.
 */
export const FORCE_GENERIC_PLAN = `select set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true), set_config('enable_memoize', 'off', true)`;

/** To what the session began with. */
export const RESTORE_PLANS = `select set_config('plan_cache_mode', null, true), set_config('enable_seqscan', null, true), set_config('enable_memoize', null, true)`;
