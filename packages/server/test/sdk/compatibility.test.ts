// The fields of a registration that only clients of other servers read, updated by events.
import { applyEvent, type Calls, type State } from '@parley/client';
import { applyCompatibilityEvent } from '@parley/client/compatibility';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { emitRestart } from '../../src/features/event-log/index.ts';
import { type Chat, startChat } from '../chat.ts';
import { picture } from '../pictures.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
});
afterAll(() => chat.close());

const fieldsOf = (state: State) => ({
  recent_private_conversations: state.recent_private_conversations,
  realm_email_auth_enabled: state.realm_email_auth_enabled,
  realm_password_auth_enabled: state.realm_password_auth_enabled,
  avatar_source: state.avatar_source,
  server_generation: state.server_generation,
});

/** The fields of a registration before and after some work: updated by its events, and in a new registration. */
async function followed(api: Calls, work: () => Promise<unknown>) {
  const { queue_id, last_event_id, ...before } = await api.registerQueue();
  await work();
  const { events } = await api.getEvents({ queue_id, last_event_id, dont_block: true });
  const byEvents = events.reduce<State>(
    (state, event) => applyCompatibilityEvent(applyEvent(state, event), event),
    before,
  );
  const now = await api.registerQueue();
  return { before: fieldsOf(before), byEvents: fieldsOf(byEvents), now: fieldsOf(now) };
}

test.each<[string, keyof ReturnType<typeof fieldsOf>, () => Promise<unknown>]>([
  [
    'messages',
    'recent_private_conversations',
    async () => {
      const [max, eva] = await chat.users('max', 'eva');
      await chat.message({ from: max, to: [{ id: chat.owner.id }] });
      await chat.message({ from: eva, to: [max, chat.owner] });
      await chat.message({ from: chat.owner, to: [chat.owner] });
      await chat.message({ from: chat.owner, to: [max] });
      await chat.message({ from: max, to: [eva] });
    },
  ],
  ['an avatar', 'avatar_source', async () => chat.owner.api.uploadAvatar({ file: await picture() })],
  ['the avatar of before', 'avatar_source', () => chat.owner.api.deleteAvatar()],
  [
    'a directory in place of passwords',
    'realm_email_auth_enabled',
    () => chat.owner.api.updateRealm({ authentication_methods: { Email: false, LDAP: true } }),
  ],
  [
    'no way to log in with a password',
    'realm_password_auth_enabled',
    () => chat.owner.api.updateRealm({ authentication_methods: { Email: false, LDAP: false } }),
  ],
  ['a restart', 'server_generation', () => emitRestart(chat.app)],
])('after %s events update %s to that of a new registration', async (_case, field, work) => {
  const { before, byEvents, now } = await followed(chat.owner.api, work);
  expect(now[field]).not.toEqual(before[field]);
  expect(byEvents).toEqual(now);
});
