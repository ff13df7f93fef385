import type { Calls } from '@parley/client';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';
import { onPostgres } from '../../../test/database.ts';
import { startSecondProcess } from '../../../test/second-process.ts';

type Process = Awaited<ReturnType<typeof startSecondProcess>>;

describe.runIf(onPostgres)('users whom messages name', () => {
  let chat: Chat;
  let process: Process;
  let statements: string[] = [];
  beforeAll(async () => {
    chat = await startChat({ ownDatabase: true });
    process = await startSecondProcess(chat, { onStatement: (text) => void statements.push(text) });
  });
  afterAll(async () => {
    await process.close();
    await chat.close();
  });

  const getPage = async (api: Calls) =>
    (await api.getMessages({ anchor: 'newest', num_before: 10, num_after: 0 })).messages;

  /** Reads pages of the user until one reads no users. */
  const untilRemembered = (api: Calls) =>
    vi.waitUntil(
      async () => {
        await Promise.all(Array.from({ length: 8 }, () => getPage(api)));
        statements = [];
        await getPage(api);
        return statements.length > 0 && !statements.some((text) => /\busers\b/.test(text));
      },
      { timeout: 30_000, interval: 1 },
    );

  /** A direct message of one user to another, with a reaction of the other one. */
  async function startConversation(from: TestUser, to: TestUser) {
    const id = await chat.message({ from, to: [to], content: 'hello' });
    await to.api.addReaction({ message_id: id, emoji_name: 'tada' });
    return id;
  }

  test('are remembered: a page reads none of them', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const id = await startConversation(ada, ben);
    const api = process.apiOf(ada);
    const read = await getPage(api);
    expect(await untilRemembered(api)).toBe(true);
    const remembered = await getPage(api);
    expect(remembered).toEqual(read);
    const [message] = remembered;
    expect(message).toMatchObject({ id, sender_id: ada.id, sender_full_name: (await ada.api.getOwnUser()).full_name });
    expect(message?.reactions).toMatchObject([{ user_id: ben.id, user: { id: ben.id } }]);
    expect(message?.display_recipient).toMatchObject([{ id: ada.id }, { id: ben.id }]);
  });

  test('have the names that another process changed, in each page after its response', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    await startConversation(ada, ben);
    const api = process.apiOf(ben);
    for (let n = 0; n < 5; n++) {
      await untilRemembered(api);
      await ada.api.updateSettings({ full_name: `Ada ${n}` });
      const [message] = await getPage(api);
      expect(message?.sender_full_name).toBe(`Ada ${n}`);
      expect(message?.display_recipient).toContainEqual(expect.objectContaining({ full_name: `Ada ${n}` }));
    }
  });

  test('are those of the organization', async () => {
    const other = await chat.otherRealm('elsewhere');
    const { id } = await other.owner.api.sendMessage({ type: 'direct', to: [other.owner.id], content: 'hello' });
    const [ada] = await chat.users('ada');
    await startConversation(ada, ada);
    await untilRemembered(process.apiOf(ada));
    const api = process.apiOf(other.owner, other.realm);
    await untilRemembered(api);
    const [message] = await getPage(api);
    expect(message).toMatchObject({ id, sender_email: expect.stringContaining(other.owner.email) });
  });
});
