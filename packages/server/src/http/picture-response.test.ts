// Pictures that browsers load without a login: avatars and custom emoji.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../test/chat.ts';
import { moving, picture } from '../../test/pictures.ts';
import { readConfig } from '../config/index.ts';
import { createLimits, type Limits } from './limits/index.ts';

const RULES = { account: 'off', events: 'off', ip: '60:5' };

let limits: Limits;
let chat: Chat;
let ada: TestUser;
beforeAll(async () => {
  limits = createLimits(readConfig({ PARLEY_RATE_LIMITS: JSON.stringify(RULES) }).rate_rules);
  chat = await startChat({ requestLimits: limits });
  [ada] = await chat.users('ada');
});
afterAll(async () => {
  await chat.close();
  limits.close();
});

/** The URLs of an avatar and of an animated emoji, in all their forms. */
async function addresses(): Promise<string[]> {
  const { avatar_url } = await ada.api.uploadAvatar({ file: await picture('png') });
  await ada.api.uploadCustomEmoji({ name: 'soup', file: await moving('gif') });
  const { emoji } = await ada.api.getCustomEmoji();
  const { source_url = '', still_url = '' } = Object.values(emoji)[0] ?? {};
  return [avatar_url, `${avatar_url}/medium`, source_url, still_url ?? ''];
}

describe('pictures', () => {
  let paths: string[];
  beforeAll(async () => {
    paths = await addresses();
  });

  test('that a client has already are not sent again, and each has its own ETag', async () => {
    const tags = await Promise.all(paths.map(async (path) => (await chat.fetch(path)).headers.get('etag') ?? ''));
    expect(new Set(tags).size).toBe(4);
    for (const [n, path] of paths.entries()) {
      const again = await chat.fetch(path, { headers: { 'If-None-Match': tags[n] ?? '' } });
      expect([again.status, (await again.arrayBuffer()).byteLength]).toEqual([304, 0]);
      const other = await chat.fetch(path, { headers: { 'If-None-Match': tags[n === 0 ? 1 : 0] ?? '' } });
      expect(other.status).toBe(200);
    }
  });

  test('are not rate-limited, and requests for missing ones are, by address', async () => {
    const nothing = [
      '/user_avatars/x',
      `/user_avatars/${'0'.repeat(36)}`,
      '/emoji/999999',
      '/emoji/x',
      '/emoji/999999/still',
    ];
    for (const path of nothing) expect((await chat.fetch(path)).status, path).toBe(404);
    for (const path of nothing) {
      const answer = await chat.fetch(path);
      expect([answer.status, Number(answer.headers.get('retry-after'))]).toEqual([429, expect.any(Number)]);
      expect(await answer.json()).toMatchObject({ code: 'RATE_LIMIT_HIT' });
    }
    for (const path of paths) expect((await chat.fetch(path)).status, path).toBe(200);
  });
});
