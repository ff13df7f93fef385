// For each limit on a collection: how a client adds to it, removes from it and lists it.
import type { Schema } from '@parley/client';
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { RequestLimitName } from '../../src/core/collection-limits.ts';
import type { Chat, TestUser } from '../chat.ts';
import { textFile } from '../files.ts';
import { picture } from '../pictures.ts';

/** Removes what was added. */
export type Remove = () => Promise<unknown>;
/** Adds one item: a single request. */
export type Add = () => Promise<Remove>;

export interface Collection {
  /** Prepares the next request that adds an item. */
  next(): Promise<Add>;
  /** The items, as clients see them. */
  list(): Promise<readonly unknown[]>;
  /** The count of one item; absent: 1. */
  readonly weight?: number;
  /** What makes room: removing an item, waiting a day, or nothing. Absent: removing an item. */
  readonly room?: 'a day' | 'nothing';
}

/** Room for one item whose bytes are counted, and for a little more. */
export const BYTES = 11_500;

let made = 0;
const fresh = (word: string): string => `${word}${made++}`;
const state = (person: TestUser, type: Schema<'StateType'>) => person.api.registerQueue({ fetch_event_types: [type] });

const bots = ({ api }: TestUser): Collection => ({
  next: async () => async () => {
    const { user_id } = await api.createBot({ full_name: 'A Bot', short_name: fresh('bot') });
    return () => api.deactivateBot({ bot_id: user_id });
  },
  list: async () => (await api.getBots()).bots.map(({ user_id }) => user_id),
});

const streams = ({ api }: TestUser): Collection => ({
  next: async () => async () => {
    const name = fresh('stream');
    await api.subscribe({ subscriptions: [{ name }] });
    const { stream_id } = await api.getStreamId({ stream: name });
    return () => api.archiveStream({ stream_id });
  },
  list: async () => (await api.getStreams()).streams.map(({ stream_id }) => stream_id),
});

async function emoji({ api }: TestUser): Promise<Collection> {
  const file = await picture();
  return {
    next: async () => async () => {
      const name = fresh('emoji');
      await api.uploadCustomEmoji({ name, file });
      return () => api.deactivateCustomEmoji({ name });
    },
    list: async () => Object.keys((await api.getCustomEmoji()).emoji),
  };
}

const uploads = ({ api }: TestUser): Collection => ({
  next: async () => async () => {
    await api.uploadFile({ file: textFile('ten bytes!') });
    const { attachments } = await api.getAttachments();
    return () => api.deleteAttachment({ attachment_id: attachments[0]?.id ?? 0 });
  },
  list: async () => (await api.getAttachments()).attachments,
});

async function botStorage(chat: Chat, owner: TestUser, value: () => string): Promise<Collection> {
  const { api } = await chat.user('bot', { bot_of: owner, mirrored: false });
  return {
    next: async () => async () => {
      const key = fresh('key');
      await api.updateBotStorage({ storage: { [key]: value() } });
      return () => api.deleteBotStorage({ keys: [key] });
    },
    list: async () => Object.keys((await api.getBotStorage()).storage),
  };
}

const drafts = ({ api }: TestUser, content: () => string): Collection => ({
  next: async () => async () => {
    const { ids } = await api.createDrafts({ drafts: [{ type: '', to: [], topic: '', content: content() }] });
    return () => api.deleteDraft({ draft_id: ids[0] ?? 0 });
  },
  list: async () => (await api.getDrafts()).drafts,
});

const scheduled = (chat: Chat, { id, api }: TestUser, content: () => string): Collection => ({
  next: async () => async () => {
    const scheduled_delivery_timestamp = Math.floor(chat.clock().getTime() / 1000) + 3600;
    const params = { type: 'direct', to: [id], content: content(), scheduled_delivery_timestamp } as const;
    const { scheduled_message_id } = await api.scheduleMessage(params);
    return () => api.deleteScheduledMessage({ scheduled_message_id });
  },
  list: async () => (await api.getScheduledMessages()).scheduled_messages,
});

async function group({ api }: TestUser): Promise<number> {
  return (await api.createUserGroup({ name: fresh('group'), description: '', members: [] })).group_id;
}

/** Reactions to one message, each by the next user and with the next emoji. */
async function reactions(chat: Chat, users: readonly TestUser[]): Promise<Collection> {
  const name = fresh('stream');
  await chat.stream(name, { by: chat.owner });
  const message_id = await chat.message({ from: chat.owner, to: name });
  const names = ['heart', 'smile', 'tada', 'octopus', 'fire', 'rocket', 'eyes', 'star', 'sun', 'car', 'dog', 'cat'];
  let nth = 0;
  return {
    next: async () => {
      const { api } = users[nth % users.length] as TestUser;
      const emoji_name = names[nth++ % names.length] as string;
      return async () => {
        await api.addReaction({ message_id, emoji_name });
        return () => api.removeReaction({ message_id, emoji_name });
      };
    },
    list: async () => (await chat.owner.api.getMessage({ message_id })).message.reactions,
  };
}

export const collections: Readonly<
  Record<RequestLimitName, (chat: Chat, ben: TestUser) => Collection | Promise<Collection>>
> = {
  event_queues: (chat, { id, api }) => ({
    next: async () => async () => {
      const { queue_id } = await api.registerQueue({ event_types: [] });
      return () => api.deleteQueue({ queue_id });
    },
    list: () => rows(chat.database.db, sql`select id from event_queues where user_id = ${id} order by id`),
  }),
  tokens: (_chat, { api }) => ({
    next: async () => async () => {
      const { token } = await api.createToken({ name: fresh('token'), scopes: ['read'] });
      return () => api.revokeToken({ token_id: token.id });
    },
    list: async () => (await api.getTokens()).tokens.map(({ id }) => id),
  }),
  applications: ({ owner: { api } }) => ({
    next: async () => async () => {
      const redirect_uris = ['https://app.example.com/'];
      const { application } = await api.createApplication({ name: fresh('app'), redirect_uris, scopes: ['read'] });
      return () => api.deleteApplication({ application_id: application.id });
    },
    list: async () => (await api.getApplications()).applications.map(({ id }) => id),
  }),
  bots: (_chat, ben) => bots(ben),
  new_bots: (_chat, ben) => ({ ...bots(ben), room: 'a day' }),
  bot_storage: (chat, ben) => botStorage(chat, ben, () => 'value'),
  bot_storage_bytes: async (chat, ben) => ({
    ...(await botStorage(chat, ben, () => fresh('x'.repeat(9900)))),
    weight: BYTES,
  }),
  drafts: (_chat, ben) => drafts(ben, () => fresh('draft')),
  // About 10,000 bytes: three of them fit into three times the weight, and four do not.
  draft_bytes: (_chat, ben) => ({ ...drafts(ben, () => fresh('x'.repeat(9900))), weight: BYTES }),
  scheduled_messages: (chat, ben) => scheduled(chat, ben, () => fresh('later')),
  scheduled_message_bytes: (chat, ben) => ({ ...scheduled(chat, ben, () => fresh('x'.repeat(4900))), weight: BYTES }),
  alert_words: (_chat, { api }) => ({
    next: async () => async () => {
      const alert_words = [fresh('word')];
      await api.addAlertWords({ alert_words });
      return () => api.removeAlertWords({ alert_words });
    },
    list: async () => (await api.getAlertWords()).alert_words,
  }),
  user_topics: async (chat, ben) => {
    const stream_id = await chat.stream(fresh('stream'), { by: chat.owner });
    return {
      next: async () => async () => {
        const topic = fresh('topic');
        await ben.api.updateUserTopic({ stream_id, topic, visibility_policy: 3 });
        return () => ben.api.updateUserTopic({ stream_id, topic, visibility_policy: 0 });
      },
      list: async () => (await state(ben, 'user_topic')).user_topics ?? [],
    };
  },
  muted_users: (chat, ben) => ({
    next: async () => {
      const { id: user_id } = await chat.user('noisy', { mirrored: false });
      return async () => {
        await ben.api.muteUser({ user_id });
        return () => ben.api.unmuteUser({ user_id });
      };
    },
    list: async () => (await state(ben, 'muted_users')).muted_users ?? [],
  }),
  uploads: (_chat, ben) => uploads(ben),
  upload_bytes: (_chat, ben) => ({ ...uploads(ben), weight: 10 }),
  new_streams: ({ owner }) => ({ ...streams(owner), room: 'a day' }),
  streams: ({ owner }) => streams(owner),
  user_groups: ({ owner }) => ({
    next: async () => async () => {
      const user_group_id = await group(owner);
      return () => owner.api.deleteUserGroup({ user_group_id });
    },
    list: async () => (await owner.api.getUserGroups()).user_groups,
  }),
  group_members: async (chat) => {
    const user_group_id = await group(chat.owner);
    return {
      next: async () => {
        const { id } = await chat.user('member', { mirrored: false });
        return async () => {
          await chat.owner.api.updateUserGroupMembers({ user_group_id, add: [id] });
          return () => chat.owner.api.updateUserGroupMembers({ user_group_id, delete: [id] });
        };
      },
      list: async () => (await chat.owner.api.getUserGroupMembers({ user_group_id })).members,
    };
  },
  subgroups: async ({ owner }) => {
    const user_group_id = await group(owner);
    return {
      next: async () => {
        const inner = await group(owner);
        return async () => {
          await owner.api.updateUserGroupSubgroups({ user_group_id, add: [inner] });
          return () => owner.api.updateUserGroupSubgroups({ user_group_id, delete: [inner] });
        };
      },
      list: async () => (await owner.api.getUserGroupSubgroups({ user_group_id })).subgroups,
    };
  },
  custom_emoji: async ({ owner }) => {
    const all = await emoji(owner);
    const list = async () => Object.values((await owner.api.getCustomEmoji()).emoji).filter((one) => !one.deactivated);
    return { ...all, list };
  },
  all_custom_emoji: async ({ owner }) => ({ ...(await emoji(owner)), room: 'nothing' }),
  linkifiers: ({ owner }) => ({
    next: async () => async () => {
      const { id: filter_id } = await owner.api.addLinkifier({
        pattern: fresh('#'),
        url_template: 'https://t.example',
      });
      return () => owner.api.deleteLinkifier({ filter_id });
    },
    list: async () => (await owner.api.getLinkifiers()).linkifiers,
  }),
  playgrounds: ({ owner }) => ({
    next: async () => async () => {
      const params = { pygments_language: 'Python', url_template: 'https://e.example/{code}' };
      const { id: playground_id } = await owner.api.addPlayground({ ...params, name: fresh('playground') });
      return () => owner.api.deletePlayground({ playground_id });
    },
    list: async () => (await state(owner, 'realm_playgrounds')).realm_playgrounds ?? [],
  }),
  profile_fields: ({ owner }) => ({
    next: async () => async () => {
      const { id: field_id } = await owner.api.createProfileField({ name: fresh('field'), field_type: 1 });
      return () => owner.api.deleteProfileField({ field_id });
    },
    list: async () => (await owner.api.getProfileFields()).custom_fields,
  }),
  reactions: async (chat) => {
    const users = [];
    for (let n = 0; n < 12; n++) users.push(await chat.user('fan', { mirrored: false }));
    return reactions(chat, users);
  },
  own_reactions: (chat, ben) => reactions(chat, [ben]),
};
