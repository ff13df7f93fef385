// The bot in Python, which stands for clients in languages without a library.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Client, createClient } from '@parley/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../src/testing/index.ts';

const program = fileURLToPath(new URL('../../../../examples/bot.py', import.meta.url));
const guide = fileURLToPath(new URL('../../../../apps/docs/src/content/docs/guides/python.mdx', import.meta.url));

function hasPython(): boolean {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

test('the guide to Python has the program of the examples', () => {
  expect(readFileSync(guide, 'utf8')).toContain(`\`\`\`python\n${readFileSync(program, 'utf8')}\`\`\``);
});

describe.runIf(hasPython())('the bot in Python (needs python3)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-python-'));
  const running = new Set<ChildProcess>();
  let server: TestServer;
  let owner: Client;
  beforeAll(async () => {
    server = await startTestServer();
    owner = createClient(server.url, { login: server.login });
  });
  afterAll(async () => {
    for (const child of running) child.kill('SIGKILL');
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Starts the bot, and waits until it listens. */
  async function start(secret: string): Promise<ChildProcess> {
    const env = { PATH: process.env.PATH, PARLEY_URL: server.url, PARLEY_TOKEN: secret };
    const child = spawn('python3', [program], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
    running.add(child);
    const [line] = await once(createInterface(child.stdout), 'line');
    expect(line).toBe('The bot listens.');
    return child;
  }

  test('replies once to each ping in streams and direct messages, also to those sent while it was killed', async () => {
    // Of a member: a bot of the owner could post where the owner can.
    const ben = createClient(server.url, { login: await server.user('Ben') });
    const { api_key: apiKey, ...bot } = await ben.createBot({ full_name: 'Pong', short_name: 'pong', bot_type: 1 });
    const principals = [bot.user_id];
    const subscriptions = [{ name: 'kitchen' }, { name: 'notices' }];
    await owner.subscribe({ subscriptions });
    await owner.subscribe({ subscriptions, principals });
    const { stream_id } = await owner.getStreamId({ stream: 'notices' });
    await owner.updateStream({ stream_id, stream_post_policy: 2 });
    const { secret } = await createClient(server.url, { login: { email: bot.email, apiKey } }).createToken({
      name: 'Bot',
      scopes: ['read', 'write'],
    });
    const events = owner.events({ types: ['message'] });
    await events.open();
    const ping = () => owner.sendMessage({ type: 'stream', to: 'kitchen', topic: 'soup', content: 'ping' });
    const first = await start(secret);
    // Bots cannot post in this one.
    await owner.sendMessage({ type: 'stream', to: 'notices', topic: 'soup', content: 'ping' });
    await ping();
    await owner.sendMessage({ type: 'stream', to: 'kitchen', topic: 'soup', content: 'no ping' });
    await owner.sendMessage({ type: 'direct', to: [bot.user_id], content: 'ping' });
    const replies: string[] = [];
    for await (const event of events) {
      if (event.type !== 'message' || event.message.sender_id !== bot.user_id) continue;
      replies.push(event.message.type);
      if (replies.length === 2) {
        first.kill('SIGKILL');
        await once(first, 'close');
        await ping();
        await start(secret);
        await ping();
      }
      if (replies.length === 4) break;
    }
    expect(replies).toEqual(['stream', 'private', 'stream', 'stream']);
    const { messages } = await owner.getMessages({ anchor: 'newest', num_before: 100, num_after: 0 });
    expect(messages.filter(({ content }) => content === '<p>pong</p>' || content === 'pong')).toHaveLength(4);
  });
});
