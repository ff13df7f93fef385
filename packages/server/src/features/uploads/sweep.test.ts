// Files that no message links, and the limits for all files of an organization.
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat } from '../../../test/chat.ts';
import { canRead, got, linking, textFile, uploaded } from '../../../test/files.ts';
import { schedule } from '../../../test/scheduling.ts';
import { deactivateRealm, reactivateRealm } from '../realm-admin/index.ts';
import { sweepUploads } from './index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true, upload_space: 4000 });
});
afterAll(() => chat.close());

const sweep = async () => {
  while ((await sweepUploads(chat.app)) === 'more');
};
const pass = async (days: number) => {
  chat.clock.advance({ days });
  await sweep();
};
const piecesLeft = () => rows<{ n: number }>(chat.database.db, sql`select count(*)::int as n from upload_pieces`);

describe('a file', () => {
  test('that nothing links is deleted after seven days, and its uploader receives the event', async () => {
    const [ada] = await chat.users('ada');
    const week = { queue_lifespan_secs: 7 * 24 * 3600, event_types: ['attachment'] } as const;
    const { queue_id, last_event_id } = await ada.api.registerQueue(week);
    const uri = await uploaded(ada);
    await pass(6);
    expect(await canRead(chat, ada, uri)).toBe(true);
    const before = (await ada.api.getEvents({ queue_id, last_event_id, dont_block: true })).events;
    await pass(2);
    expect(await canRead(chat, ada, uri)).toBe(false);
    const after = await ada.api.getEvents({ queue_id, last_event_id: before[0]?.id ?? 0, dont_block: true });
    expect(before).toMatchObject([{ op: 'add', attachment: { size: 23 }, upload_space_used: 23 }]);
    const { id } = before[0]?.type === 'attachment' ? before[0].attachment : { id: 0 };
    expect(after.events).toMatchObject([{ op: 'remove', attachment: { id }, upload_space_used: 0 }]);
    expect(await piecesLeft()).toEqual([{ n: 0 }]);
  });

  test('that a message, a scheduled message or a draft links stays', async () => {
    const [ada] = await chat.users('ada');
    const [sent, scheduled, drafted] = [await uploaded(ada), await uploaded(ada), await uploaded(ada)];
    await chat.message({ from: ada, to: [ada], content: linking(sent) });
    const far = Math.floor(chat.clock().getTime() / 1000) + 365 * 24 * 3600;
    await schedule(chat, ada, [ada], { content: linking(scheduled), scheduled_delivery_timestamp: far });
    await ada.api.createDrafts({ drafts: [{ type: '', to: [], topic: '', content: linking(drafted) }] });
    await pass(8);
    await pass(8);
    for (const uri of [sent, scheduled, drafted]) expect(await canRead(chat, ada, uri)).toBe(true);
  });

  test('that a message stopped linking is kept for seven days from then', async () => {
    const [ada] = await chat.users('ada');
    const uri = await uploaded(ada);
    const message_id = await chat.message({ from: ada, to: [ada], content: linking(uri) });
    await pass(30);
    await chat.owner.api.updateRealm({ message_content_edit_limit_seconds: 10_000_000 });
    await ada.api.updateMessage({ message_id, content: 'no soup' });
    await sweep();
    await pass(6);
    expect(await canRead(chat, ada, uri)).toBe(true);
    await pass(2);
    expect(await canRead(chat, ada, uri)).toBe(false);
  });

  test('that is linked at the last moment stays, and the link works', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const uris = await Promise.all([1, 2, 3, 4].map(() => uploaded(ada)));
    chat.clock.advance({ days: 8 });
    await Promise.all([sweep(), ...uris.map((uri) => chat.message({ from: ada, to: [ben], content: linking(uri) }))]);
    await pass(8);
    for (const uri of uris) expect(await canRead(chat, ada, uri)).toBe(await canRead(chat, ben, uri));
  });
});

test('all expired files are deleted in one run, which scans the files once', async () => {
  const [ada] = await chat.users('ada');
  const upload = async (n: number) => {
    for (let left = n; left > 0; left--) await uploaded(ada, textFile('x'));
    chat.clock.advance({ days: 8 });
  };
  const before = await piecesLeft();
  await upload(1);
  const one = await chat.statements(() => sweepUploads(chat.app));
  await upload(45);
  let more: string | undefined;
  const many = await chat.statements(async () => {
    more = await sweepUploads(chat.app);
  });
  expect([more, await piecesLeft()]).toEqual([undefined, before]);
  // Three batches instead of one, each with its lock, its deletion, its space and its events.
  expect(many).toBeLessThan(3 * one);
});

test('while an organization is deactivated, its files do not expire', async () => {
  const { realm, owner } = await chat.otherRealm('asleep');
  const uri = await uploaded(owner);
  const isThere = async () => (await got(chat, owner, uri, { realm })).status === 200;
  await pass(6);
  await chat.act(deactivateRealm, realm);
  await pass(8);
  await chat.act(reactivateRealm, realm);
  await sweep();
  expect(await isThere()).toBe(true);
  await pass(6);
  expect(await isThere()).toBe(true);
  await pass(2);
  expect(await isThere()).toBe(false);
});

describe('the space of an organization', () => {
  test('is not exceeded by concurrent uploads either, and deleted files are free again', async () => {
    const { realm } = await chat.otherRealm('crowded');
    const users = await Promise.all(['ada', 'ben', 'eve'].map((name) => chat.user(name, { realm, mirrored: false })));
    const file = textFile('x'.repeat(1500));
    const outcomes = await Promise.allSettled(users.map((who) => uploaded(who, file)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    const [ada] = users;
    if (!ada) throw new Error('unreachable');
    await expectError('BAD_REQUEST', ada.api.uploadFile({ file }), /^file: .*space/);
    await pass(8);
    await uploaded(ada, file);
  });

  test('is its own: other organizations can upload although one is full', async () => {
    const [one, other] = [await chat.otherRealm('full'), await chat.otherRealm('empty')];
    const file = textFile('x'.repeat(4000));
    await uploaded(one.owner, file);
    await expectError('BAD_REQUEST', one.owner.api.uploadFile({ file: textFile('x') }));
    await uploaded(other.owner, file);
  });

  test('allows no file that is larger than all of it', async () => {
    const { owner } = await chat.otherRealm('small');
    await expectError('BAD_REQUEST', owner.api.uploadFile({ file: textFile('x'.repeat(4001)) }));
  });
});
