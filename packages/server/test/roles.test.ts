// The permissions of each operation: each kind of caller calls it once, with the result that the document says.
import type { Calls } from '@parley/client';
import { ParleyError } from '@parley/client';
import { operations, readDocument } from '@parley/openapi';
import {
  BAD_REQUEST,
  type CallerKind,
  callerKinds as callers,
  findOperation,
  findPermissionError,
} from '@parley/openapi/document';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OperationId } from '../src/core/contract.ts';
import { updateCanCreateUsers } from '../src/features/user-admin/index.ts';
import { type Chat, PASSWORD, startChat, type TestUser } from './chat.ts';
import { picture } from './pictures.ts';

const document = readDocument();

/**
 * The most statements of a request with rejected credentials: one finds the organization and the account. Without
 * credentials it finds the organization alone.
 */
const STATEMENTS_OF_REJECTED_CREDENTIALS = 1;

type CallArguments<Id extends OperationId> = Parameters<Calls[Id]>[0];
interface Row<Id extends OperationId> {
  given?: CallArguments<Id> | ((who: TestUser) => CallArguments<Id> | Promise<CallArguments<Id>>);
  /** The call ends the account or its key, so a user created for it calls. */
  by_another?: true;
}

let chat: Chat;
let hall: number;
let made = 0;
const fresh = (word: string) => `${word}${made++}`;
const silent = (name: string, options: Parameters<Chat['user']>[1] = {}) =>
  chat.user(name, { ...options, mirrored: false });
const message = () => chat.message({ from: chat.owner, to: 'hall' });
const stream = () => chat.stream(fresh('stream'), { by: chat.owner });
const somebody = async () => (await silent('sam')).id;
const bot = async () => (await chat.owner.api.createBot({ full_name: 'A Bot', short_name: fresh('bot') })).user_id;
const linkifier = () => ({ pattern: fresh('link'), url_template: 'https://links.example' });
const profileField = () => ({ name: fresh('Field'), field_type: 1 as const });
const madeField = async () => (await chat.owner.api.createProfileField(profileField())).id;
const playground = () => ({
  name: fresh('Ground'),
  pygments_language: 'Rust',
  url_template: 'https://rust.example/{code}',
});
const group = async ({ id }: TestUser) =>
  (await chat.owner.api.createUserGroup({ name: fresh('group'), description: '', members: [id] })).group_id;
const emoji = async (by: TestUser) => {
  const name = fresh('emoji');
  await by.api.uploadCustomEmoji({ name, file: await picture() });
  return name;
};
/** A file that a message in the hall links. */
const file = async () => {
  const { uri, upload_key, file_name } = await chat.owner.api.uploadFile({ file: new File(['soup'], 'soup.txt') });
  await chat.message({ from: chat.owner, to: 'hall', content: `[soup](${uri})` });
  return { realm_id: chat.realm.id, upload_key, file_name };
};
/** A file of their own. */
const attached = async ({ api }: TestUser) => {
  await api.uploadFile({ file: new File(['soup'], 'soup.txt') });
  return (await api.getAttachments()).attachments.at(-1)?.id ?? 0;
};
const soon = () => Math.floor(chat.clock().getTime() / 1000) + 3600;
const toOutcomeLetter = () =>
  ({ type: 'stream', to: hall, topic: 'soup', content: 'later', scheduled_delivery_timestamp: soon() }) as const;
const queue = async ({ api }: TestUser) => {
  const { queue_id, last_event_id } = await api.registerQueue({ event_types: ['message'] });
  return { queue_id, last_event_id };
};
const draft = { type: '', to: [], topic: '', content: 'hm' } as const;
const kept = async ({ api }: TestUser) => (await api.createDrafts({ drafts: [{ ...draft, to: [] }] })).ids[0] ?? 0;
const application = async () => {
  const registered = await chat.owner.api.createApplication({
    name: 'Planner',
    redirect_uris: ['https://app.example.com/'],
    scopes: ['read'],
  });
  return { application_id: registered.application.id };
};
const newest = { anchor: 'newest', num_before: 1, num_after: 0 } as const;
const inHall = { narrow: [['stream', 'hall']] } as const;

const rows: { [Id in OperationId]: Row<Id> } = {
  acknowledgeEvents: { given: queue },
  addAlertWords: { given: () => ({ alert_words: [fresh('word')] }) },
  addDefaultStream: { given: async () => ({ stream_id: await stream() }) },
  addLinkifier: { given: () => linkifier() },
  addPlayground: { given: () => playground() },
  addReaction: { given: async () => ({ message_id: await message(), emoji_name: 'octopus' }) },
  archiveStream: { given: async () => ({ stream_id: await stream() }) },
  createApplication: { given: { name: 'Planner', redirect_uris: ['https://app.example.com/'], scopes: ['read'] } },
  createDrafts: { given: { drafts: [{ ...draft, to: [] }] } },
  createBot: { given: () => ({ full_name: 'A Bot', short_name: fresh('bot') }) },
  createProfileField: { given: () => profileField() },
  createToken: { given: { name: 'Digest', scopes: ['read'] } },
  createUser: {
    given: () => ({ email: `${fresh('new')}@example.org`, full_name: 'Nora New', password: PASSWORD }),
  },
  createUserGroup: { given: () => ({ name: fresh('group'), description: '' }) },
  deactivateBot: { given: async () => ({ bot_id: await bot() }) },
  deleteApplication: { given: application },
  deleteAvatar: {},
  deactivateCustomEmoji: { given: async () => ({ name: await emoji(chat.owner) }) },
  deactivateOwnUser: { by_another: true },
  deactivateUser: { given: async () => ({ user_id: await somebody() }) },
  deleteBotStorage: {},
  deleteAttachment: { given: async (who) => ({ attachment_id: await attached(who) }) },
  deleteDraft: { given: async (who) => ({ draft_id: await kept(who) }) },
  deleteLinkifier: {
    given: async () => ({ filter_id: (await chat.owner.api.addLinkifier(linkifier())).id }),
  },
  deleteMessage: { given: async () => ({ message_id: await message() }) },
  deletePlayground: {
    given: async () => ({ playground_id: (await chat.owner.api.addPlayground(playground())).id }),
  },
  deleteProfileData: { given: async () => ({ data: [await madeField()] }) },
  deleteProfileField: { given: async () => ({ field_id: await madeField() }) },
  deleteQueue: { given: async (who) => ({ queue_id: (await queue(who)).queue_id }) },
  deleteScheduledMessage: { given: (who) => who.api.scheduleMessage(toOutcomeLetter()) },
  deleteTopic: { given: () => ({ stream_id: hall, topic_name: 'nothing' }) },
  deleteUserGroup: { given: async (who) => ({ user_group_id: await group(who) }) },
  fetchApiKey: { given: () => ({ username: chat.owner.email, password: PASSWORD }) },
  getAlertWords: {},
  getApplications: {},
  getAttachments: {},
  getBots: {},
  getBotStorage: {},
  getFileUrl: { given: file },
  getCustomEmoji: {},
  getDrafts: {},
  getEvents: { given: async (who) => ({ ...(await queue(who)), dont_block: true }) },
  getLinkifiers: {},
  getMessage: { given: async () => ({ message_id: await message() }) },
  getMessageHistory: { given: async () => ({ message_id: await message() }) },
  getMessages: { given: newest },
  getOwnUser: {},
  getPresences: {},
  getProfileFields: {},
  getReadReceipts: { given: async () => ({ message_id: await message() }) },
  getScheduledMessages: {},
  getServerSettings: {},
  getStream: { given: () => ({ stream_id: hall }) },
  getStreamId: { given: { stream: 'hall' } },
  getStreamEmailAddress: { given: () => ({ stream_id: hall }) },
  getStreamMembers: { given: () => ({ stream_id: hall }) },
  getStreamTopics: { given: () => ({ stream_id: hall }) },
  getStreams: {},
  getSubscriptionStatus: { given: () => ({ user_id: chat.owner.id, stream_id: hall }) },
  getSubscriptions: {},
  getTokens: {},
  getUser: { given: () => ({ user_id: chat.owner.id }) },
  getUserPresence: {
    given: async () => {
      await chat.owner.api.updatePresence({ status: 'active' });
      return { user_id: chat.owner.id };
    },
  },
  getUserGroupMembers: { given: async (who) => ({ user_group_id: await group(who) }) },
  getUserGroupMembership: {
    given: async (who) => ({ user_group_id: await group(who), user_id: who.id }),
  },
  getUserGroupSubgroups: { given: async (who) => ({ user_group_id: await group(who) }) },
  getUserGroups: {},
  getUsers: {},
  markAllAsRead: {},
  markStreamAsRead: { given: () => ({ stream_id: hall }) },
  markTopicAsRead: { given: () => ({ stream_id: hall, topic_name: 'soup' }) },
  matchNarrow: { given: async () => ({ msg_ids: [await message()], ...inHall }) },
  muteUser: { given: async () => ({ user_id: await somebody() }) },
  regenerateApiKey: { by_another: true },
  regenerateApplicationSecret: { given: application },
  regenerateBotApiKey: { given: async () => ({ bot_id: await bot() }) },
  registerQueue: { given: { event_types: ['message'] } },
  removeAlertWords: { given: { alert_words: ['word'] } },
  removeDefaultStream: {
    given: async () => {
      const stream_id = await stream();
      await chat.owner.api.addDefaultStream({ stream_id });
      return { stream_id };
    },
  },
  removeReaction: {
    given: async (who) => {
      const message_id = await message();
      await who.api.addReaction({ message_id, emoji_name: 'octopus' });
      return { message_id, emoji_name: 'octopus' };
    },
  },
  renderMessage: { given: { content: '*hello*' } },
  reactivateUser: {
    given: async () => {
      const user_id = await somebody();
      await chat.owner.api.deactivateUser({ user_id });
      return { user_id };
    },
  },
  reorderLinkifiers: {
    given: async () => ({
      ordered_linkifier_ids: (await chat.owner.api.getLinkifiers()).linkifiers.map(({ id }) => id).reverse(),
    }),
  },
  reorderProfileFields: {
    given: async () => ({
      order: (await chat.owner.api.getProfileFields()).custom_fields.map(({ id }) => id).reverse(),
    }),
  },
  revokeToken: {
    given: async ({ api }) => ({ token_id: (await api.createToken({ name: 'Digest', scopes: ['read'] })).token.id }),
  },
  scheduleMessage: { given: () => toOutcomeLetter() },
  sendMessage: { given: { type: 'stream', to: 'hall', topic: 'soup', content: 'hello' } },
  setTyping: { given: () => ({ type: 'stream', op: 'start', stream_id: hall, topic: 'soup' }) },
  subscribe: { given: () => ({ subscriptions: [{ name: fresh('stream') }] }) },
  unmuteUser: {
    given: async (who) => {
      const user_id = await somebody();
      await who.api.muteUser({ user_id });
      return { user_id };
    },
  },
  unsubscribe: { given: { subscriptions: ['foyer'] } },
  updateBotStorage: { given: { storage: { soup: 'pea' } } },
  updateApplication: { given: application },
  updateBot: { given: async () => ({ bot_id: await bot(), full_name: 'Another' }) },
  updateDisplaySettings: { given: { enter_sends: true } },
  updateDraft: {
    given: async (who) => ({ draft_id: await kept(who), draft: { ...draft, to: [], content: 'well' } }),
  },
  updateLinkifier: {
    given: async () => ({ ...linkifier(), filter_id: (await chat.owner.api.addLinkifier(linkifier())).id }),
  },
  updateMessage: { given: async () => ({ message_id: await message(), topic: fresh('topic') }) },
  updateMessageFlags: {
    given: async () => ({ messages: [await message()], op: 'add', flag: 'starred' }),
  },
  updateMessageFlagsForNarrow: { given: { ...newest, ...inHall, op: 'add', flag: 'read' } },
  updateMutedTopic: { given: () => ({ stream_id: hall, topic: fresh('topic'), op: 'add' }) },
  updateNotificationSettings: { given: { enter_sends: true } },
  updatePresence: { given: { status: 'active' } },
  updateProfileData: { given: async () => ({ data: [{ id: await madeField(), value: 'here' }] }) },
  updateProfileField: { given: async () => ({ field_id: await madeField(), hint: 'A word' }) },
  updateRealm: { given: { description: 'Where we try things.' } },
  updateScheduledMessage: {
    given: async (who) => ({ ...(await who.api.scheduleMessage(toOutcomeLetter())), content: 'later still' }),
  },
  updateSettings: { given: { enter_sends: true } },
  updateStatus: { given: { status_text: 'here' } },
  updateStream: { given: async () => ({ stream_id: await stream(), description: 'A room.' }) },
  updateSubscriptionProperties: {
    given: () => ({ subscription_data: [{ stream_id: hall, property: 'pin_to_top', value: true }] }),
  },
  updateSubscriptionProperty: {
    given: () => ({ stream_id: hall, property: 'pin_to_top', value: true }),
  },
  updateSubscriptions: { given: { add: [{ name: 'hall' }] } },
  updateUser: {
    given: async () => ({ user_id: await somebody(), full_name: 'Somebody Else' }),
  },
  updateUserGroup: {
    given: async (who) => ({ user_group_id: await group(who), description: 'Ours' }),
  },
  updateUserGroupMembers: {
    given: async (who) => ({ user_group_id: await group(who), add: [await somebody()] }),
  },
  updateUserGroupSubgroups: {
    given: async (who) => ({ user_group_id: await group(who), add: [await group(who)] }),
  },
  updateUserTopic: {
    given: () => ({ stream_id: hall, topic: fresh('topic'), visibility_policy: 1 }),
  },
  updateUserSettingsDefaults: { given: { enter_sends: true } },
  uploadAvatar: { given: async () => ({ file: await picture() }) },
  uploadFile: { given: () => ({ file: new File(['soup'], 'soup.txt') }) },
  uploadCustomEmoji: { given: async () => ({ name: fresh('emoji'), file: await picture() }) },
};

const people = {} as Record<CallerKind, TestUser>;

/** A user of this kind; full members and bots are older than the organization's waiting period, new ones are not. */
async function makeCaller(kind: CallerKind): Promise<TestUser> {
  switch (kind) {
    case 'owner':
      return creator(await silent('olga', { role: 'owner' }));
    case 'administrator':
      return creator(await silent('amy', { role: 'admin' }));
    case 'moderator':
      return silent('mo', { role: 'moderator' });
    case 'guest':
      return silent('gus', { role: 'guest' });
    case 'bot':
      return silent('bo', { bot_of: await silent('bea') });
    case 'deactivated': {
      const dan = await silent('dan');
      await chat.owner.api.deactivateUser({ user_id: dan.id });
      return dan;
    }
    case 'anonymous':
      return { ...(await silent('nobody')), api: chat.apiOf(chat.realm) };
    case 'of another organization': {
      const { owner } = await chat.otherRealm(fresh('other'));
      return { ...owner, api: chat.apiOf(chat.realm, owner) };
    }
    default:
      return silent('mia');
  }
}

async function creator(person: TestUser): Promise<TestUser> {
  await chat.act((ctx) => updateCanCreateUsers(ctx, person.id, true));
  return person;
}

beforeAll(async () => {
  chat = await startChat();
  await chat.owner.api.updateRealm({
    waiting_period_threshold: 10,
    create_public_stream_policy: 3,
    user_group_edit_policy: 3,
    add_custom_emoji_policy: 3,
    enable_read_receipts: true,
  });
  for (const kind of callers) if (kind !== 'new member') people[kind] = await makeCaller(kind);
  chat.clock.advance({ days: 20 });
  people['new member'] = await makeCaller('new member');
  const members = callers.slice(0, 7).map((kind) => people[kind]);
  hall = await chat.stream('hall', { by: chat.owner, members });
  await chat.stream('foyer', { by: chat.owner, members });
});
afterAll(() => chat.close());

const outsiders: readonly CallerKind[] = ['deactivated', 'anonymous', 'of another organization'];

async function outcome<Id extends OperationId>(id: Id, kind: CallerKind): Promise<string> {
  const { given, by_another }: Row<Id> = rows[id];
  const caller = by_another ? await makeCaller(kind) : people[kind];
  // The objects that outsiders name exist, so that only the caller can be the reason of the error.
  const preparer = outsiders.includes(kind) ? chat.owner : caller;
  const params = typeof given === 'function' ? await given(preparer) : (given ?? {});
  const call = caller.api[id] as (params: unknown) => Promise<unknown>;
  return call(params).then(
    () => 'done',
    (error: unknown) => (error instanceof ParleyError ? toOutcome(error) : String(error)),
  );
}

const toOutcome = ({ code, reason }: Pick<ParleyError, 'code' | 'reason'>): string =>
  reason === undefined ? code : `${code} ${reason}`;

/** A caller without the permission gets no other reason. */
const toExpected = (code = 'done'): string => (code === BAD_REQUEST ? `${code} forbidden` : code);

test('every operation has a row, and every row an operation', () => {
  expect(Object.keys(rows).sort()).toEqual(Object.keys(operations).sort());
});

// shows: 1.1, 5.5, 5.6
test.each(Object.keys(rows) as OperationId[])('%s can be called by the callers in the document', async (id) => {
  const { operation } = findOperation(document, id) ?? {};
  if (!operation) throw new Error(`The document has no operation ${id}.`);
  const expected = callers.map((kind) => [kind, toExpected(findPermissionError(document, operation, kind))]);
  const found = await Promise.all(callers.map(async (kind) => [kind, await outcome(id, kind)]));
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
});

/** Tokens that were valid, by what became of them. */
const listEndedTokens = async (): Promise<[string, string][]> => {
  const [ann, bob, cay] = [await silent('ann'), await silent('bob'), await silent('cay')];
  const tokenOf = ({ api }: TestUser, more = {}) => api.createToken({ name: 'Digest', scopes: ['read'], ...more });
  const [revoked, expired, ofNobody] = [
    await tokenOf(ann),
    await tokenOf(bob, { lifespan_secs: 60 }),
    await tokenOf(cay),
  ];
  const foreign = await tokenOf((await chat.otherRealm(fresh('other'))).owner);
  await ann.api.revokeToken({ token_id: revoked.token.id });
  await chat.owner.api.deactivateUser({ user_id: cay.id });
  chat.clock.advance({ minutes: 2 });
  return [
    ['with a revoked token', `Bearer ${revoked.secret}`],
    ['with an expired token', `Bearer ${expired.secret}`],
    ['with the token of a deactivated account', `Bearer ${ofNobody.secret}`],
    ['with a token of another organization', `Bearer ${foreign.secret}`],
  ];
};

const withoutAccess = async (): Promise<[string, string | undefined][]> => {
  const former = await silent('fay');
  const oldKey = basic(former);
  await former.api.regenerateApiKey();
  return [
    ...(await listEndedTokens()),
    ['anonymous', undefined],
    ['deactivated', basic(people.deactivated)],
    ['of another organization', basic(people['of another organization'])],
    ['with an old key', oldKey],
  ];
};
const basic = ({ email, apiKey }: TestUser): string => `Basic ${Buffer.from(`${email}:${apiKey}`).toString('base64')}`;

test('a caller with rejected credentials costs at most one statement, for any operation', async () => {
  const costs: Record<string, number> = {};
  for (const [kind, login] of await withoutAccess()) {
    for (const [id, { auth, path, method }] of Object.entries(operations)) {
      if (auth !== 'user') continue;
      const init = { method: method.toUpperCase(), headers: login === undefined ? {} : { Authorization: login } };
      costs[`${id} ${kind}`] = await chat.statements(async () => {
        expect((await chat.fetch(`/api/v1${path.replaceAll(/\{\w+\}/g, '1')}`, init)).status).toBe(401);
      });
    }
  }
  const dear = Object.entries(costs).filter(([, statements]) => statements > STATEMENTS_OF_REJECTED_CREDENTIALS);
  expect(dear).toEqual([]);
});
