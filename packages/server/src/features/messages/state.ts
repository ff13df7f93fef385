import type { Ctx } from '../../core/context.ts';
import type { Schema } from '../../core/contract.ts';
import { stateQuery } from '../../core/state-query.ts';
import { jsonRecentDirect } from './queries/direct.ts';
import { jsonNewestReceived } from './queries/seen.ts';

/** The part of `POST /register` about messages. */
export const messageState = ({ me }: Ctx) =>
  stateQuery(jsonNewestReceived(me), (newest: number | null) => ({ max_message_id: newest ?? -1 }));

/** The part of `POST /register` about the newest direct conversations. */
export const recentDirectState = ({ me }: Ctx) =>
  stateQuery(jsonRecentDirect(me), (recent_private_conversations: Schema<'RecentDirectConversation'>[]) => ({
    recent_private_conversations,
  }));
