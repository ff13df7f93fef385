import type { Schema } from '../../../core/contract.ts';

export type Flag = Schema<'MessageFlags'>[number];

/** The recipients for whom a new message has special flags. */
export interface RecipientFlags {
  readonly read: ReadonlySet<number>;
  /** If present, it is read for all recipients except these. */
  readonly unread_only_for?: ReadonlySet<number>;
  readonly mentioned: ReadonlySet<number>;
  /** Recipients with an alert word that it contains. */
  readonly alerted: ReadonlySet<number>;
  readonly topic_wildcard: ReadonlySet<number>;
  readonly stream_wildcard: boolean;
}

function getFlagsFor(id: number | undefined, recipients: RecipientFlags): Flag[] {
  const { read, unread_only_for, mentioned, alerted, topic_wildcard, stream_wildcard } = recipients;
  const isIn = (user_ids: ReadonlySet<number>) => id !== undefined && user_ids.has(id);
  const flags: [Flag, boolean][] = [
    ['read', isIn(read) || (unread_only_for !== undefined && !isIn(unread_only_for))],
    ['mentioned', isIn(mentioned)],
    ['wildcard_mentioned', stream_wildcard || isIn(topic_wildcard)],
    ['stream_wildcard_mentioned', stream_wildcard],
    ['topic_wildcard_mentioned', isIn(topic_wildcard)],
    ['has_alert_word', isIn(alerted)],
  ];
  return flags.filter(([, set]) => set).map(([flag]) => flag);
}

export interface FlagSets {
  /** The flags of all other recipients. */
  common: Flag[];
  /** Users with other flags, by those flags. No user is in two of them. */
  special: { flags: Flag[]; user_ids: number[] }[];
}

/** Groups the recipients of a new message by their flags, so that each gets exactly one event. */
export function groupRecipientsByFlags(recipients: RecipientFlags): FlagSets {
  const common = getFlagsFor(undefined, recipients);
  const special = new Map<string, { flags: Flag[]; user_ids: number[] }>();
  const user_ids = new Set([
    ...recipients.read,
    ...(recipients.unread_only_for ?? []),
    ...recipients.mentioned,
    ...recipients.alerted,
    ...recipients.topic_wildcard,
  ]);
  for (const id of [...user_ids].sort((one, other) => one - other)) {
    const flags = getFlagsFor(id, recipients);
    const key = flags.join();
    const set = special.get(key) ?? { flags, user_ids: [] };
    set.user_ids.push(id);
    special.set(key, set);
  }
  return { common, special: [...special.values()] };
}
