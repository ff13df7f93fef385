// Texts of the Notification Bot about groups.
import type { User } from '../../core/context.ts';
import { quoteName, renderSilentMention } from '../../text/quotes.ts';

type NoticeActor = Pick<User, 'full_name' | 'id'>;

/** For users whom another user added to a group. */
export const renderAddedNotice = (me: NoticeActor, group: { readonly name: string }): string =>
  `${renderSilentMention(me)} added you to the group ${quoteName(group.name)}.`;

/** For users whom another user removed from a group. */
export const renderRemovedNotice = (me: NoticeActor, group: { readonly name: string }): string =>
  `${renderSilentMention(me)} removed you from the group ${quoteName(group.name)}.`;
