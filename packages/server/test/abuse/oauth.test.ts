// Token requests of applications, which have no credentials before they are read.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config/index.ts';
import { createLimits, type Limits } from '../../src/http/limits/index.ts';
import { type Chat, startChat } from '../chat.ts';
import { postForm } from '../third-party.ts';

const MOST = 3;

let limits: Limits;
let chat: Chat;
beforeAll(async () => {
  limits = createLimits(readConfig({ PARLEY_RATE_LIMITS: `{"ip":"60:${MOST}"}` }).rate_rules);
  chat = await startChat({ requestLimits: limits, trustProxy: 1 });
});
afterAll(async () => {
  await chat.close();
  limits.close();
});

const postToken = (path: string, from: string) => postForm(chat, path, { token: 'soup' }, { 'X-Forwarded-For': from });

test('token requests are counted by address, separately from all others', async () => {
  const from = '198.51.100.7';
  for (let n = 0; n < MOST; n++)
    expect((await postToken(n ? '/oauth/token' : '/oauth/revoke', from)).status).not.toBe(429);
  const limited = await postToken('/oauth/token', from);
  expect(limited.status).toBe(429);
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(limited.headers.get('access-control-allow-origin')).toBe('*');
  expect(await limited.json()).toMatchObject({ code: 'RATE_LIMIT_HIT' });
  expect((await postToken('/oauth/token', '198.51.100.8')).status).not.toBe(429);
  const headers = { 'X-Forwarded-For': from };
  expect((await chat.fetch('/api/v1/server_settings', { headers })).status).toBe(200);
  expect((await chat.fetch('/oauth/authorize?client_id=1', { headers })).status).toBe(400);
});

test('a request releases its slot, however it ends', async () => {
  for (const form of [{}, { grant_type: 'refresh_token', client_id: '1', refresh_token: 'soup' }] as const)
    for (const path of ['/oauth/token', '/oauth/revoke'])
      await postForm(chat, path, form, { 'X-Forwarded-For': `203.0.113.${path.length + Object.keys(form).length}` });
  expect(chat.app.admission.requests.running).toBe(0);
});
