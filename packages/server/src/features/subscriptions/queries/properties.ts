import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { bigints } from '../../../core/bigints-sql.ts';
import type { User } from '../../../core/context.ts';
import type { StoredProperty } from '../rules.ts';

type Me = Pick<User, 'realm_id' | 'id'>;
/**
 * Those of these streams that the user is subscribed to, with the subscriptions locked until the commit. Locked in the
 * order of ids, so that two requests cannot deadlock.
 */
export async function lockSubscriptions(db: Db, me: Me, stream_ids: readonly number[]): Promise<Set<number>> {
  const locked = await rows<{ id: number }>(
    db,
    sql`select m.conversation_id as id from memberships m
        join streams s on s.realm_id = m.realm_id and s.id = m.conversation_id and s.archived_at is null
        where m.realm_id = ${me.realm_id} and m.user_id = ${me.id} and m.conversation_id = any(${bigints(stream_ids)}) and m.active
        order by m.conversation_id for update of m`,
  );
  return new Set(locked.map(({ id }) => id));
}

/** Settings for a stream; absent ones stay unchanged. */
export type StreamSettings = Partial<StoredProperty> & { readonly stream_id: number };

/** Changes settings for streams that are locked. No setting can become null again. */
export async function updateSettings(db: Db, me: Me, settings: readonly StreamSettings[]): Promise<void> {
  await rows(
    db,
    sql`update memberships m set
          color = coalesce(g.color, m.color),
          is_muted = coalesce(g.is_muted, m.is_muted),
          pin_to_top = coalesce(g.pin_to_top, m.pin_to_top),
          desktop_notifications = coalesce(g.desktop_notifications, m.desktop_notifications),
          audible_notifications = coalesce(g.audible_notifications, m.audible_notifications),
          push_notifications = coalesce(g.push_notifications, m.push_notifications),
          email_notifications = coalesce(g.email_notifications, m.email_notifications),
          wildcard_mentions_notify = coalesce(g.wildcard_mentions_notify, m.wildcard_mentions_notify)
        from jsonb_to_recordset(${JSON.stringify(settings)}::jsonb) as g(
          stream_id bigint, color text, is_muted boolean, pin_to_top boolean, desktop_notifications boolean,
          audible_notifications boolean, push_notifications boolean, email_notifications boolean, wildcard_mentions_notify boolean)
        where m.realm_id = ${me.realm_id} and m.user_id = ${me.id} and m.conversation_id = g.stream_id`,
  );
}
