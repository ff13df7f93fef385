import type { Ctx } from '../../core/context.ts';
import type { Schema } from '../../core/contract.ts';
import { bounds } from '../../core/limits.ts';
import { stateQuery } from '../../core/state-query.ts';
import { presentUnread } from './present.ts';
import { listNewestUnread, listUnread } from './queries/list-unread.ts';
import { jsonStarred } from './queries/stored-flags.ts';

/** The part of POST /register that `update_message_flags` keeps current: the newest unread messages. */
export async function unreadState({ db, me }: Ctx): Promise<{ unread_msgs: Schema<'UnreadMessages'> }> {
  const all = await listUnread(db, me, bounds.unread);
  const { groups, more } = all !== null ? { groups: all, more: false } : await listNewestUnread(db, me, bounds.unread);
  return { unread_msgs: presentUnread(me.id, groups, more) };
}

/** The part of POST /register that lists starred messages. */
export const starredState = ({ me }: Ctx) =>
  stateQuery(jsonStarred(me), (starred_messages: number[]) => ({ starred_messages }));
