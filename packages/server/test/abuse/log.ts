// The event log as tests of queues fill it, and counters of what the server reads of it.
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { Chat } from '../chat.ts';

/** Adds events of one type for one user, or for all, to the log by SQL, because requests would take minutes. */
export async function addEvents(
  { database, realm }: Chat,
  count: number,
  { user_id, type = 'realm', value = 'x' }: { user_id?: number; type?: string; value?: string },
): Promise<void> {
  const audience = JSON.stringify(user_id === undefined ? { everyone: true } : { users: [user_id] });
  const payload = JSON.stringify({ type, op: 'update', property: 'description', value });
  await database.db.execute(
    sql`with clock as (
          update realm_clock set last_event_id = last_event_id + ${count}::int where realm_id = ${realm.id} returning last_event_id
        )
        insert into events (realm_id, id, type, payload, audience, bytes, created_at)
        select ${realm.id}::bigint, last_event_id - ${count}::int + n, ${type}, ${payload}::jsonb,
          ${audience}::jsonb, ${Buffer.byteLength(payload)}::int, now()
        from clock, generate_series(1, ${count}::int) n`,
  );
}

/** Adds copies of the newest `message` event with another text, once as HTML and once as Markdown. */
export async function copyMessageEvent({ database, realm }: Chat, count: number, text: string): Promise<void> {
  const newest = sql`(select max(id) from events where realm_id = ${realm.id} and type = 'message')`;
  await database.db.execute(
    sql`with copied as (
          select type, jsonb_set(payload, '{message,content}', to_jsonb(${text}::text)) as payload,
            jsonb_set(audience, '{asides,raw_content}', to_jsonb(${text}::text)) as audience
          from events where realm_id = ${realm.id} and id = ${newest}
        ),
        clock as (
          update realm_clock set last_event_id = last_event_id + ${count}::int where realm_id = ${realm.id} returning last_event_id
        )
        insert into events (realm_id, id, type, payload, audience, bytes, created_at)
        select ${realm.id}::bigint, last_event_id - ${count}::int + n, type, payload, audience,
          octet_length(payload::text) + octet_length(audience::text), now()
        from clock, copied, generate_series(1, ${count}::int) n`,
  );
}

/** The number of events of the organization in the log. */
export async function countLog({ database, realm }: Chat): Promise<number> {
  const [found] = await rows<{ n: number }>(
    database.db,
    sql`select count(*)::int as n from events where realm_id = ${realm.id}`,
  );
  return found?.n ?? 0;
}

/** What the server read of the log. */
export interface LogReads {
  /** Statements that returned events. */
  statements: number;
  events: number;
  /** The most bytes of events that one statement returned. */
  largest: number;
}

interface Connections {
  query(query: { readonly text: string }, ...others: unknown[]): Promise<unknown>;
}

/**
 * Counts from now on what statements return of the log. While `hold` is a promise, the work after the reading of a
 * page, the resolving of audiences, waits for it.
 */
export function watchLog({ database }: Chat): LogReads & { hold: Promise<void> | undefined; stop(): void } {
  const { client } = (database.db as unknown as { session: { client: Connections } }).session;
  const { query } = client;
  const watched = { statements: 0, events: 0, largest: 0, hold: undefined as Promise<void> | undefined };
  client.query = async (statement, ...others) => {
    if (watched.hold && statement.text.includes('select u.id, u.role, u.key_version from')) await watched.hold;
    const result = await query.call(client, statement, ...others);
    countEvents(watched, result);
    return result;
  };
  const stop = () => {
    Reflect.deleteProperty(client, 'query');
  };
  return Object.assign(watched, { stop });
}

function countEvents(watched: LogReads, result: unknown): void {
  const { fields, rows: found } = result as { fields: { name: string }[]; rows: unknown[][] };
  const column = fields.findIndex(({ name }) => name === 'payload');
  const events = found.filter((values) => column >= 0 && values[column] !== null);
  if (events.length === 0) return;
  watched.statements++;
  watched.events += events.length;
  watched.largest = Math.max(watched.largest, Buffer.byteLength(JSON.stringify(events)));
}
