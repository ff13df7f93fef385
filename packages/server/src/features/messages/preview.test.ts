import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

test('a preview is the HTML that the message would have, and emits no event', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const content = `Hello @**${ben.full_name}** :tada: <script>alert(1)</script>`;
  const { rendered } = await ada.api.renderMessage({ content });
  expect(await ben.takeEvents()).toEqual([]);
  const id = await chat.message({ from: ada, to: [ada], content });
  const { message } = await ada.api.getMessage({ message_id: id });
  expect(rendered).toBe(message.content);
  expect(rendered).not.toContain('<script>');
});

test("a code block has the organization's default language for blocks without one", async () => {
  const { api } = chat.owner;
  const shown = async () => (await api.renderMessage({ content: '```\nlet\n```' })).rendered;
  await api.updateRealm({ default_code_block_language: 'rust' });
  expect(await shown()).toBe(
    '<div class="codehilite" data-code-language="Rust"><pre><span></span><code><span class="k">let</span>\n</code></pre></div>',
  );
  await api.updateRealm({ default_code_block_language: '' });
  expect(await shown()).toBe('<div class="codehilite"><pre><span></span><code>let\n</code></pre></div>');
});

test('a preview of blank or too long content fails as the message would', async () => {
  const [ada] = await chat.users('ada');
  await expectError('BAD_REQUEST', ada.api.renderMessage({ content: ' \n ' }), /content/);
  await expectError('BAD_REQUEST', ada.api.renderMessage({ content: 'x'.repeat(10_001) }), /content/);
});

test('of the given messages, those in the narrow are returned with the words marked', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  await chat.stream('kitchen', { by: ada, members: [ben] });
  const soup = await chat.message({ from: ada, to: 'kitchen', topic: 'soup & more', content: 'Fresh soup today.' });
  const cake = await chat.message({ from: ada, to: 'kitchen', topic: 'cake', content: 'No <b>cake</b> left.' });
  const other = await chat.message({ from: ada, to: 'kitchen', topic: 'soup', content: 'Not asked for.' });
  const search = await ben.api.matchNarrow({ msg_ids: [soup, cake, 999999], narrow: [['search', 'soup']] });
  expect(search.messages).toEqual({
    [soup]: {
      match_content: '<p>Fresh <span class="highlight">soup</span> today.</p>',
      match_subject: '<span class="highlight">soup</span> &amp; more',
    },
  });
  const plain = await ben.api.matchNarrow({ msg_ids: [soup, cake], narrow: [['topic', 'CAKE']] });
  expect(plain.messages).toEqual({
    [cake]: { match_content: '<p>No &lt;b&gt;cake&lt;/b&gt; left.</p>', match_subject: 'cake' },
  });
  expect(Object.keys(plain.messages)).not.toContain(String(other));
});

test('a message that the user cannot read matches no narrow', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  await chat.stream('vault', { by: ada, invite_only: true });
  const secret = await chat.message({ from: ada, to: 'vault', content: 'soup' });
  const narrows = [[], [['search', 'soup']], [['streams', 'public']]] as const;
  for (const narrow of narrows) {
    expect((await ben.api.matchNarrow({ msg_ids: [secret], narrow })).messages).toEqual({});
  }
});

test('an invalid narrow fails with an error that names it', async () => {
  const [ada] = await chat.users('ada');
  await expectError('BAD_NARROW', ada.api.matchNarrow({ msg_ids: [1], narrow: [['stream', 'nowhere']] }));
  await expectError('BAD_REQUEST', ada.api.matchNarrow({ msg_ids: ['one'] as never, narrow: [] }), /msg_ids/);
});
