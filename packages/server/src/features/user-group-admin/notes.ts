// What the Notification Bot says about groups.
import type { User } from '../../core/context.ts';
import { quoteName, renderSilentMention } from '../../text/quotes.ts';

type NoteAuthor = Pick<User, 'full_name' | 'id'>;

/** For people whom somebody else put into a group. */
export const renderAddedNote = (me: NoteAuthor, group: { readonly name: string }): string =>
  `${renderSilentMention(me)} added you to the group ${quoteName(group.name)}.`;

/** For people whom somebody else took out of one. */
export const renderRemovedNote = (me: NoteAuthor, group: { readonly name: string }): string =>
  `${renderSilentMention(me)} removed you from the group ${quoteName(group.name)}.`;
