/** A limit on the number of items of one kind for one account, organization, message or event queue. */
export interface CollectionLimit {
  /** The scope within which items are counted. */
  readonly per: 'account' | 'organization' | 'message' | 'account and message' | 'event queue';
  readonly default: number;
  /** What is counted, as it follows a number: "1000 drafts". */
  readonly counts: string;
  /** What frees room, as a sentence. */
  readonly room: string;
}

const acknowledge = 'Ask for events with the newest `last_event_id`. The server ends a queue that holds back more.';

/**
 * Every limit on a collection. The server enforces them with `requireRoom`, and those of queues when it sweeps.
 * Operators change them with `PARLEY_COLLECTION_LIMITS`, and the page "Limits" of the documentation lists them.
 */
export const collectionLimits = Object.freeze({
  event_queues: {
    per: 'account',
    default: 100,
    counts: 'event queues',
    room: 'Delete a queue, or let it expire.',
  },
  queue_events: {
    per: 'event queue',
    default: 100_000,
    counts: 'events of the organization that the queue holds back',
    room: acknowledge,
  },
  queue_bytes: {
    per: 'event queue',
    default: 1024 ** 3,
    counts: 'bytes of the events of the organization that the queue holds back',
    room: acknowledge,
  },
  tokens: { per: 'account', default: 100, counts: 'tokens, expired ones included', room: 'Revoke a token.' },
  bots: {
    per: 'account',
    default: 50,
    counts: 'active bots',
    room: 'Deactivate a bot, or give it another owner.',
  },
  new_bots: {
    per: 'account',
    default: 100,
    counts: 'bots created within 24 hours, deactivated ones included',
    room: 'Wait.',
  },
  bot_storage: {
    per: 'account',
    default: 10_000,
    counts: 'keys in the storage of a bot',
    room: 'Delete keys with `DELETE /bot_storage`.',
  },
  bot_storage_bytes: {
    per: 'account',
    default: 4 * 1024 ** 2,
    counts: 'bytes in the storage of a bot, keys and values as JSON',
    room: 'Delete keys with `DELETE /bot_storage`, or store shorter values.',
  },
  drafts: { per: 'account', default: 1000, counts: 'drafts', room: 'Delete a draft.' },
  draft_bytes: {
    per: 'account',
    default: 16 * 1024 ** 2,
    counts: 'bytes of drafts, as JSON',
    room: 'Delete or shorten a draft.',
  },
  scheduled_messages: {
    per: 'account',
    default: 1000,
    counts: 'scheduled messages that are not sent yet',
    room: 'Delete one, or let the server send it.',
  },
  scheduled_message_bytes: {
    per: 'account',
    default: 16 * 1024 ** 2,
    counts: 'bytes of scheduled messages that are not sent yet, as JSON with their HTML',
    room: 'Delete or shorten one, or let the server send it.',
  },
  alert_words: { per: 'account', default: 200, counts: 'alert words', room: 'Remove a word.' },
  user_topics: {
    per: 'account',
    default: 10_000,
    counts: 'muted, unmuted or followed topics',
    room: 'Set the visibility policy of a topic to 0.',
  },
  muted_users: { per: 'account', default: 1000, counts: 'muted users', room: 'Unmute a user.' },
  uploads: {
    per: 'account',
    default: 10_000,
    counts: 'uploaded files',
    room: 'Delete a file with `DELETE /attachments/{attachment_id}`.',
  },
  upload_bytes: {
    per: 'account',
    default: 2 * 1024 ** 3,
    counts: 'bytes of uploaded files',
    room: 'Delete a file with `DELETE /attachments/{attachment_id}`.',
  },
  new_streams: {
    per: 'account',
    default: 500,
    counts: 'streams created within 24 hours, archived ones included',
    room: 'Wait.',
  },
  applications: { per: 'organization', default: 200, counts: 'applications', room: 'Delete an application.' },
  streams: { per: 'organization', default: 20_000, counts: 'streams that are not archived', room: 'Archive a stream.' },
  user_groups: {
    per: 'organization',
    default: 2000,
    counts: 'user groups, system groups excepted',
    room: 'Delete a group.',
  },
  group_members: {
    per: 'organization',
    default: 200_000,
    counts: 'direct members of all user groups together, system groups excepted',
    room: 'Remove members, or delete a group.',
  },
  subgroups: {
    per: 'organization',
    default: 10_000,
    counts: 'direct subgroups of all user groups together',
    room: 'Remove subgroups, or delete a group.',
  },
  custom_emoji: { per: 'organization', default: 2000, counts: 'active custom emoji', room: 'Deactivate an emoji.' },
  all_custom_emoji: {
    per: 'organization',
    default: 10_000,
    counts: 'custom emoji, deactivated ones included',
    room: 'Nothing: old messages and reactions keep deactivated emoji. The operator can raise the limit.',
  },
  linkifiers: { per: 'organization', default: 200, counts: 'linkifiers', room: 'Remove a linkifier.' },
  playgrounds: { per: 'organization', default: 200, counts: 'playgrounds', room: 'Remove a playground.' },
  profile_fields: {
    per: 'organization',
    default: 100,
    counts: 'custom profile fields',
    room: 'Delete a field.',
  },
  reactions: { per: 'message', default: 5000, counts: 'reactions', room: 'Remove a reaction.' },
  own_reactions: {
    per: 'account and message',
    default: 50,
    counts: 'reactions of one user',
    room: 'Remove a reaction.',
  },
} satisfies Record<string, CollectionLimit>);

export type LimitName = keyof typeof collectionLimits;
export const limitNames = Object.keys(collectionLimits) as LimitName[];

/** The limits beyond which a request fails. */
export type RequestLimitName = Exclude<LimitName, 'queue_events' | 'queue_bytes'>;
export const requestLimitNames = limitNames.filter(
  (name): name is RequestLimitName => collectionLimits[name].per !== 'event queue',
);

/** The limits of this server, by name. */
export type CollectionLimits = Readonly<Record<LimitName, number>>;

/** For operations that add to a collection. */
export interface CollectionLimiting {
  readonly collection_limits: CollectionLimits;
}

export interface FileSpace {
  /** Bytes that the files of one organization may take up. */
  readonly upload_space: number;
}

export const DEFAULT_COLLECTION_LIMITS: CollectionLimits = Object.freeze(
  Object.fromEntries(limitNames.map((name) => [name, collectionLimits[name].default])) as Record<LimitName, number>,
);

const owners = {
  account: 'An account',
  organization: 'An organization',
  message: 'A message',
  'account and message': 'A message',
  'event queue': 'An event queue',
} as const;

/** The error message of a request that would exceed the limit. */
export function limitMessage(name: LimitName, most: number): string {
  const { per, counts } = collectionLimits[name];
  return `${owners[per]} can have at most ${most} ${counts} (limit "${name}").`;
}
