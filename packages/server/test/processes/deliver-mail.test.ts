// Emails as a mail server delivers them: one process for each.

import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { onPostgres } from '../database.ts';
import {
  apiOf,
  createEmbeddedEnvironment,
  createPostgresEnvironment,
  createRealm,
  endServers,
  parley,
  startServer,
  type TestEnvironment,
} from '../parley.ts';

vi.setConfig({ testTimeout: 180_000 });
afterAll(endServers);

const createEmail = (subject: string, body = 'It is ready.') =>
  [
    'From: =?utf-8?Q?Ad=C3=A8le?= <ada@example.com>',
    `Subject: ${subject}`,
    `Message-ID: <${subject}@example.com>`,
    'Content-Type: multipart/alternative; boundary=x',
    '',
    '--x',
    'Content-Type: text/plain; charset=iso-8859-1',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    `Caf=E9. ${body}`,
    '--x',
    'Content-Type: text/html',
    '',
    '<p>Not this.</p>',
    '--x--',
    '',
  ].join('\r\n');

const environments: TestEnvironment[] = [];
afterEach(async () => {
  await endServers();
  for (const environment of environments.splice(0)) await environment.remove();
});

describe.each([
  { on: 'the embedded database, beside its server', open: createEmbeddedEnvironment },
  ...(onPostgres ? [{ on: 'PostgreSQL', open: createPostgresEnvironment }] : []),
])('on $on', ({ open }) => {
  test('an email is posted once; errors of others are reported by the exit codes that mail servers know', async () => {
    const environment = await open();
    environments.push(environment);
    const login = await createRealm(environment.variables, 'acme');
    const server = await startServer(environment.variables);
    const api = apiOf(server, login, 'acme.localhost');
    await api.subscribe({ subscriptions: [{ name: 'kitchen' }] });
    const { stream_id } = await api.getStreamId({ stream: 'kitchen' });
    const { email } = await api.getStreamEmailAddress({ stream_id });
    const deliver = (address: string, text: string) => parley(['deliver-mail', address], environment.variables, text);
    for (let n = 0; n < 2; n += 1)
      expect(await deliver(email.toUpperCase(), createEmail('Soup'))).toMatchObject({ code: 0 });
    const { messages } = await api.getMessages({
      anchor: 'newest',
      num_before: 9,
      num_after: 0,
      narrow: [['topic', 'Soup']],
      apply_markdown: false,
    });
    expect(messages.map(({ content }) => content)).toEqual([
      'Email from Adèle (ada\\@example.com):\n\nCafé. It is ready.',
    ]);
    expect(await deliver(`x${email}`.replace(/.@/, '@'), createEmail('Soup'))).toMatchObject({ code: 67 });
    expect(await deliver('nobody@example.org', createEmail('Soup'))).toMatchObject({ code: 67 });
    expect(await deliver(email, 'not an email')).toMatchObject({ code: 65 });
    expect(await deliver(email, createEmail('Large', 'x'.repeat(26 * 1024 * 1024)))).toMatchObject({ code: 65 });
    await api.archiveStream({ stream_id });
    expect(await deliver(email, createEmail('Late'))).toMatchObject({ code: 67 });
  });
});

test('while the database is away, or the settings are invalid, the exit code makes the mail server retry', async () => {
  const away = {
    DATABASE_URL: 'postgres://parley@127.0.0.1:1/parley',
    PARLEY_SECRET: 'nine words, of which none is too hard to guess',
  };
  const words = ['deliver-mail', 'kitchen.x@localhost'];
  expect(await parley(words, away, createEmail('Soup'))).toMatchObject({
    code: 75,
    stderr: expect.stringMatching(/DATABASE_URL/),
  });
  expect(await parley(words, { PARLEY_NONSENSE: '1' }, createEmail('Soup'))).toMatchObject({ code: 75 });
});
