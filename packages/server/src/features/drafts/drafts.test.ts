import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { createStreamFixture } from '../../../test/stream-fixture.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

type NewDraft = Parameters<TestUser['api']['createDrafts']>[0]['drafts'][number];
const open: NewDraft = { type: '', to: [], topic: '', content: 'hm', timestamp: 1000 };
const draftsOf = async ({ api }: TestUser) => (await api.getDrafts()).drafts;
const stateOf = async ({ api }: TestUser) => (await api.registerQueue({ fetch_event_types: ['drafts'] })).drafts;

test('drafts are stored, listed by their last change, in the registration, and emitted to their author alone', async () => {
  const { ada, ben, id } = await createStreamFixture(chat);
  const inStream = { type: 'stream', to: [id], topic: ' soup ', content: 'one\n', timestamp: 2000.7 } as const;
  const { ids } = await ada.api.createDrafts({ drafts: [{ ...inStream, to: [id] }, open] });
  const { ids: others } = await ada.api.createDrafts({
    drafts: [{ type: 'private', to: [ben.id, ada.id], topic: 'no matter', content: 'two', timestamp: 1500 }],
  });
  const first = { id: ids[0], type: 'stream', to: [id], topic: 'soup', content: 'one\n', timestamp: 2000 };
  const second = { ...open, id: ids[1] };
  const direct = { id: others[0], type: 'private', to: [ben.id, ada.id], topic: '', content: 'two', timestamp: 1500 };
  const stored = [second, direct, first];
  expect(await ada.api.getDrafts()).toEqual({ count: 3, drafts: stored, has_more: false });
  expect(await stateOf(ada)).toEqual(stored);
  expect(await ada.takeEvents()).toEqual([
    { id: expect.any(Number), type: 'drafts', op: 'add', drafts: [first, second] },
    { id: expect.any(Number), type: 'drafts', op: 'add', drafts: [direct] },
  ]);
  expect(await ben.takeEvents()).toEqual([]);
  expect(await ben.api.getDrafts()).toEqual({ count: 0, drafts: [], has_more: false });
});

test('a draft without a timestamp has the current time; an empty list emits no event', async () => {
  const [ada] = await chat.users('ada');
  const { timestamp: _, ...undated } = open;
  await ada.api.createDrafts({ drafts: [undated] });
  const [stored] = await draftsOf(ada);
  expect(Math.abs((stored?.timestamp ?? 0) - Date.now() / 1000)).toBeLessThan(30);
  await ada.takeEvents();
  expect(await ada.api.createDrafts({ drafts: [] })).toEqual({ ids: [] });
  expect(await ada.takeEvents()).toEqual([]);
});

test('an update replaces the whole draft, and a deletion removes it', async () => {
  const { ada, id } = await createStreamFixture(chat);
  const [draft_id = 0] = (await ada.api.createDrafts({ drafts: [open] })).ids;
  await ada.takeEvents();
  const draft: NewDraft = { type: 'stream', to: [id], topic: 'soup', content: 'more', timestamp: 3000 };
  expect(await ada.api.updateDraft({ draft_id, draft })).toEqual({});
  expect(await draftsOf(ada)).toEqual([{ ...draft, id: draft_id }]);
  expect(await ada.takeEvents()).toMatchObject([{ type: 'drafts', op: 'update', draft: { ...draft, id: draft_id } }]);
  expect(await ada.api.deleteDraft({ draft_id })).toEqual({});
  expect(await ada.takeEvents()).toMatchObject([{ type: 'drafts', op: 'remove', draft_id }]);
  expect(await draftsOf(ada)).toEqual([]);
});

test('unknown drafts and drafts of other users return 404', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const [draft_id = 0] = (await ada.api.createDrafts({ drafts: [open] })).ids;
  for (const [who, what] of [
    [ben, draft_id],
    [ada, 987_654],
  ] as const) {
    const calls = [
      () => who.api.deleteDraft({ draft_id: what }),
      () => who.api.updateDraft({ draft_id: what, draft: open }),
    ];
    for (const call of calls) {
      const errorResponse = call();
      await expect(errorResponse).rejects.toMatchObject({ status: 404 });
      await expectError('BAD_REQUEST', errorResponse, new RegExp(`no draft ${what}`));
    }
  }
  expect(await draftsOf(ada)).toHaveLength(1);
});

test('an invalid draft, or one to a recipient that its author cannot see, fails the whole request', async () => {
  const { ada, ben, id } = await createStreamFixture(chat);
  const secret = await chat.stream('secret', { by: ben, invite_only: true });
  const wrong: [object, RegExp][] = [
    [{ content: ' \n' }, /^content.*blank/],
    [{ content: 'x'.repeat(10_001) }, /10000/],
    [{ type: 'stream', to: [] }, /^to/],
    [{ type: 'stream', to: [id, secret] }, /^to/],
    [{ to: [ben.id] }, /^to/],
    [{ type: 'stream', to: [id], topic: 'x'.repeat(61) }, /^topic.*60/],
    [{ type: 'stream', to: [secret] }, new RegExp(`no stream ${secret}`)],
    [{ type: 'stream', to: [987_654] }, /no stream 987654/],
    [{ type: 'private', to: [ben.id, 987_654] }, /no user 987654/],
    [{ type: 'direct' }, /drafts/],
    [{ id: 1 }, /drafts/],
    [{ timestamp: -1 }, /drafts/],
  ];
  for (const [fault, named] of wrong) {
    const drafts = [open, { ...open, ...fault }] as NewDraft[];
    await expectError('BAD_REQUEST', ada.api.createDrafts({ drafts }), named);
  }
  expect(await draftsOf(ada)).toEqual([]);
  expect(await ada.takeEvents()).toEqual([]);
});

// shows: 4.13.18
test('disabling synchronization deletes all drafts without a drafts event, and new ones fail', async () => {
  const [ada] = await chat.users('ada');
  const [draft_id = 0] = (await ada.api.createDrafts({ drafts: [open] })).ids;
  await ada.takeEvents();
  await ada.api.updateSettings({ enable_drafts_synchronization: false });
  expect((await ada.takeEvents()).map(({ type }) => type)).toEqual(['user_settings']);
  expect(await stateOf(ada)).toEqual([]);
  const calls = [
    () => ada.api.getDrafts(),
    () => ada.api.createDrafts({ drafts: [open] }),
    () => ada.api.updateDraft({ draft_id, draft: open }),
    () => ada.api.deleteDraft({ draft_id }),
  ];
  for (const call of calls) await expectError('BAD_REQUEST', call(), /enable_drafts_synchronization/);
  await ada.api.updateSettings({ enable_drafts_synchronization: true });
  expect(await draftsOf(ada)).toEqual([]);
});

test('a draft created while synchronization is being disabled is not stored', async () => {
  const [ada] = await chat.users('ada');
  const drafts = Array.from({ length: 5 }, () => ada.api.createDrafts({ drafts: [open] }));
  await Promise.allSettled([...drafts, ada.api.updateSettings({ enable_drafts_synchronization: false })]);
  expect(await stateOf(ada)).toEqual([]);
});

test('a registration returns the newest thousand; any number takes the same few statements', async () => {
  const roomy = await startChat({ collection_limits: { drafts: 2000 } });
  const eve = await roomy.user('eve', { mirrored: false });
  const many = Array.from({ length: 600 }, (_, n) => ({ ...open, timestamp: n }));
  await eve.api.createDrafts({ drafts: many });
  await eve.api.createDrafts({ drafts: many.map((one) => ({ ...one, timestamp: one.timestamp + 600 })) });
  const registered = (await stateOf(eve)) ?? [];
  expect(registered.map(({ timestamp }) => timestamp)).toEqual(Array.from({ length: 1000 }, (_, n) => n + 200));
  const keeping = (count: number) => roomy.statements(() => eve.api.createDrafts({ drafts: many.slice(0, count) }));
  expect(await keeping(100)).toBe(await keeping(1));
  await roomy.close();
});
