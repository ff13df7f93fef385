import type { Handlers, SharedTransactions, StreamHandlers } from './core/handler.ts';
import { alertWords } from './features/alert-words/handlers.ts';
import { applications } from './features/applications/handlers.ts';
import { avatars } from './features/avatars/handlers.ts';
import { botAdmin } from './features/bot-admin/handlers.ts';
import { drafts } from './features/drafts/handlers.ts';
import { emoji } from './features/emoji/handlers.ts';
import { events } from './features/events/handlers.ts';
import { eventStreams } from './features/events/index.ts';
import { flags } from './features/flags/handlers.ts';
import { incomingMail } from './features/incoming-mail/handlers.ts';
import { linkifiers } from './features/linkifiers/handlers.ts';
import { messageDeletion } from './features/message-deletion/handlers.ts';
import { messageEdits } from './features/message-edits/handlers.ts';
import { messages } from './features/messages/handlers.ts';
import { getSendLane, prepareMessages } from './features/messages/index.ts';
import { mutedUsers } from './features/muted-users/handlers.ts';
import { narrows } from './features/narrows/handlers.ts';
import { playgrounds } from './features/playgrounds/handlers.ts';
import { presence } from './features/presence/handlers.ts';
import { profileFields } from './features/profile-fields/handlers.ts';
import { reactions } from './features/reactions/handlers.ts';
import { realmAdmin } from './features/realm-admin/handlers.ts';
import { registration } from './features/registration/handlers.ts';
import { scheduledMessages } from './features/scheduled-messages/handlers.ts';
import { serverSettings } from './features/server-settings/handlers.ts';
import { settings } from './features/settings/handlers.ts';
import { signIn } from './features/sign-in/handlers.ts';
import { status } from './features/status/handlers.ts';
import { streamAdmin } from './features/stream-admin/handlers.ts';
import { streams } from './features/streams/handlers.ts';
import { subscriptions } from './features/subscriptions/handlers.ts';
import { tokens } from './features/tokens/handlers.ts';
import { topics } from './features/topics/handlers.ts';
import { typing } from './features/typing/handlers.ts';
import { uploads } from './features/uploads/handlers.ts';
import { userAdmin } from './features/user-admin/handlers.ts';
import { userGroupAdmin } from './features/user-group-admin/handlers.ts';
import { userGroups } from './features/user-groups/handlers.ts';
import { users } from './features/users/handlers.ts';

/** The handler of every operation of the document. A missing one does not compile. */
export const handlers: Handlers = {
  ...alertWords,
  ...applications,
  ...avatars,
  ...botAdmin,
  ...drafts,
  ...emoji,
  ...events,
  ...flags,
  ...incomingMail,
  ...linkifiers,
  ...messageDeletion,
  ...messageEdits,
  ...messages,
  ...mutedUsers,
  ...narrows,
  ...playgrounds,
  ...presence,
  ...profileFields,
  ...reactions,
  ...realmAdmin,
  ...registration,
  ...scheduledMessages,
  ...serverSettings,
  ...settings,
  ...signIn,
  ...status,
  ...streamAdmin,
  ...streams,
  ...subscriptions,
  ...tokens,
  ...topics,
  ...typing,
  ...uploads,
  ...userAdmin,
  ...userGroupAdmin,
  ...userGroups,
  ...users,
};

/** The operations that can respond with an event stream. */
export const streamHandlers: StreamHandlers = eventStreams;

/** The operations whose transactions take turns. A message to a stream locks the stream. */
export const sharedTransactions: SharedTransactions = {
  sendMessage: {
    getLane: getSendLane,
    countCharacters: ({ content }) => content.length,
    prepare: prepareMessages,
  },
};
