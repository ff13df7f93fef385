import { rows } from '@parley/db';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { startChat } from '../../../test/chat.ts';
test('perf', async () => {
  const chat = await startChat();
  const owner = chat.owner;
  const names = Array.from({ length: 1000 }, (_, n) => `p ${n}`);
  const timed = async (what: string, work: () => Promise<unknown>) => { const t = performance.now(); const n = await chat.statements(work); console.log(what, n, Math.round(performance.now() - t), 'ms'); };
  await timed('create 1000', () => owner.api.subscribe({ subscriptions: names.map((name) => ({ name })) }));
  const ids = (await chat.act(({ db, realm }) => rows<{ id: number }>(db, sql`insert into users (realm_id, delivery_email, email_key, full_name, role, date_joined)
          select ${realm.id}::bigint, 'p' || n || '@example.com', 'p' || n || '@example.com', 'Eve ' || n, 400, now() from generate_series(1, 2000) n returning id`))).map(({ id }) => id);
  await chat.act(({ db, realm }) => db.execute(sql`insert into memberships (realm_id, conversation_id, user_id, active, received, color)
     select ${realm.id}::bigint, s.id, u, false, '{}', (array['#76ce90', '#fae589', '#a6c7e5', '#e79ab5', '#bfd56f', '#f4ae55', '#b0a5fd', '#addfe5'])[1 + (random() * 7)::int]
     from unnest(${sql.param(ids)}::bigint[]) u, lateral (select id from streams where realm_id = ${realm.id} and name like 'p 9%' order by random() + u limit 4) s`) );
  const ada = await chat.user('ada', { mirrored: false });
  await timed('1 x 1000', () => ada.api.subscribe({ subscriptions: names.map((name) => ({ name })) }));
  await timed('1 x 1000 out', () => ada.api.unsubscribe({ subscriptions: names }));
  await timed('1000 x 1', () => ada.api.subscribe({ subscriptions: [{ name: 'p 1' }], principals: ids.slice(0, 1000) }));
  await timed('2000 x 10', () => ada.api.subscribe({ subscriptions: names.slice(10, 20).map((name) => ({ name })), principals: ids }));
  await timed('2000 x 10 out', () => owner.api.unsubscribe({ subscriptions: names.slice(10, 20), principals: ids }));
  await timed('2000 x 50 ', () => ada.api.subscribe({ subscriptions: names.slice(20, 70).map((name) => ({ name })), principals: ids }));
  expect((await chat.act(({ db }) => rows<{ n: number }>(db, sql`select count(*)::int as n from events`)))[0]?.n).toBeGreaterThan(0);
  await chat.close();
});
