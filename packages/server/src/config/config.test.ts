import { describe, expect, test } from 'vitest';
import { createConfigFolder, SECRET } from '../../test/fixtures/config-folder.ts';
import { readConfig, variableTable } from './index.ts';
import { variables } from './variables.ts';

const { file } = createConfigFolder();

describe('the configuration', () => {
  test('reads each variable that can contain a secret from a file as well', () => {
    const masked = Object.entries(variables).filter(([, variable]) => 'mask' in variable);
    expect(masked.map(([name]) => name)).toContain('DATABASE_URL');
    for (const [name] of masked) expect(variables).toHaveProperty(`${name}_FILE`);
  });

  test('reads a URL with a password from a file, and does not print it', () => {
    const config = readConfig({
      DATABASE_URL_FILE: file('url', 'postgres://parley:hunter2@db/parley\n'),
      PARLEY_SECRET: SECRET,
      PARLEY_MAIL_FILE: file('mail', 'smtp://post:hunter2@mail:25\n'),
    });
    expect(config.database_url).toBe('postgres://parley:hunter2@db/parley');
    expect(config.mail).toMatchObject({ url: 'smtp://post:hunter2@mail:25' });
    expect(JSON.stringify(config.printed)).not.toContain('hunter2');
  });

  test('rejects two values of DATABASE_URL, and needs a secret with DATABASE_URL_FILE', () => {
    const DATABASE_URL_FILE = file('twice', 'postgres://db/x');
    expect(() => readConfig({ DATABASE_URL_FILE, DATABASE_URL: 'postgres://db/x', PARLEY_SECRET: SECRET })).toThrow(
      /DATABASE_URL and DATABASE_URL_FILE are both set/,
    );
    expect(() => readConfig({ DATABASE_URL_FILE })).toThrow(/PARLEY_SECRET must be set/);
  });

  test('is frozen', () => {
    expect(Object.isFrozen(readConfig({}))).toBe(true);
  });

  test('ignores variables without the prefix of Parley', () => {
    expect(readConfig({ NODE_ENV: 'production', HOME: '/root' }).port).toBe(8080);
  });

  test.each(['PARLEY_URL', 'PARLEY_EMAIL', 'PARLEY_API_KEY', 'PARLEY_TOKEN'])(
    'ignores %s, which programs read',
    (name) => {
      const config = readConfig({ [name]: 'hunter2' });
      expect(config.port).toBe(8080);
      expect(config.printed).not.toHaveProperty(name);
    },
  );

  test('is printed without secrets', () => {
    const { printed } = readConfig({
      DATABASE_URL: 'postgres://parley:hunter2@db:5432/parley?password=hunter2',
      PARLEY_SECRET: 'hunter2, and more that nobody would guess',
      PARLEY_MAIL: 'smtp://post:hunter2@mail:25',
    });
    expect(JSON.stringify(printed)).not.toContain('hunter2');
    expect(printed).toMatchObject({
      DATABASE_URL: 'postgres://parley:********@db:5432/parley?password=********',
      PARLEY_SECRET: '********',
      PARLEY_PORT: '8080',
    });
  });

  test.each([
    [
      'postgres://u:hunter2@db/x?sslmode=require&sslpassword=hunter2',
      'postgres://u:********@db/x?sslmode=require&sslpassword=********',
    ],
    ['postgres://u:hun/te?r2@db/x', 'postgres://u:********@db/x'],
    ['postgres://u:hunter2@one:5432,two:5433/x', 'postgres://u:********@one:5432,two:5433/x'],
    [
      'postgres://db:5432/x?application_name=parley&passfile=hunter2',
      'postgres://db:5432/x?application_name=parley&passfile=********',
    ],
    ['smtp://mail:25?pass=hunter2&from=chat@example.com', 'smtp://mail:25?pass=********&from=chat@example.com'],
    ['smtp://mail:25?from=chat@example.com', 'smtp://mail:25?from=chat@example.com'],
    ['smtp://mail:25?hunter2', 'smtp://mail:25?********'],
    ['smtp://mail:25?from=chat@example.com#hunter2', 'smtp://mail:25?from=********'],
    ['smtp://mail:25#hunter2', 'smtp://mail:25#********'],
    ['log', 'log'],
  ])('prints %s without its secrets', (url, shown) => {
    const { printed } = url.startsWith('postgres')
      ? readConfig({ DATABASE_URL: url, PARLEY_SECRET: SECRET })
      : readConfig({ PARLEY_MAIL: url });
    expect(url.startsWith('postgres') ? printed.DATABASE_URL : printed.PARLEY_MAIL).toBe(shown);
  });

  test.each([
    'a'.repeat(32),
    'abab'.repeat(10),
    'hunter2'.repeat(6),
    'abcdefgh'.repeat(4),
    'abcabcabcbacbabacbacbcabacbcacba',
    'short',
  ])('rejects the secret %j, which can be guessed', (PARLEY_SECRET) => {
    expect(() => readConfig({ PARLEY_SECRET })).toThrow(/PARLEY_SECRET must be at least 32 characters made by chance/);
    expect(() => readConfig({ PARLEY_SECRET_FILE: file('weak', PARLEY_SECRET) })).toThrow(/made by chance/);
  });

  test.each([
    '0123456789abcdef0123456789abcdef',
    'a secret of at least thirty-two characters',
    '5f4dcc3b5aa765d61d8327deb882cf99',
  ])('accepts the secret %j', (PARLEY_SECRET) => {
    expect(readConfig({ PARLEY_SECRET }).secret).toBe(PARLEY_SECRET);
  });

  test('has one sentence about every variable', () => {
    for (const { name, about } of variableTable) expect(about, name).toMatch(/^[A-Z].+\.$/);
  });
});
