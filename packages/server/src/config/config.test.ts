import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ConfigError, loadSecret, readConfig, variableTable } from './index.ts';
import { variables } from './variables.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-config-'));
afterAll(() => rmSync(folder, { recursive: true }));
const SECRET = 'nine words, of which none is too hard to guess';
const file = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

describe('a valid value', () => {
  test.each([
    ['PARLEY_PORT', '0', { port: 0 }],
    ['PARLEY_PORT', '65535', { port: 65_535 }],
    ['PARLEY_HOST', '::', { host: '::' }],
    ['PARLEY_HOST', 'chat.internal', { host: 'chat.internal' }],
    ['PARLEY_DATA_DIR', '/srv/parley', { data_dir: '/srv/parley' }],
    ['PARLEY_BASE_DOMAIN', 'Chat.Example.com', { base_domain: 'chat.example.com' }],
    [
      'PARLEY_ALLOWED_ORIGINS',
      'https://app.example.com, http://localhost:5173',
      { allowed_origins: new Set(['https://app.example.com', 'http://localhost:5173']) },
    ],
    ['PARLEY_TRUST_PROXY', 'off', { trust_proxy: false }],
    ['PARLEY_TRUST_PROXY', '2', { trust_proxy: 2 }],
    ['PARLEY_TRUST_PROXY', 'loopback, 10.0.0.0/8,::1', { trust_proxy: 'loopback,10.0.0.0/8,::1' }],
    ['PARLEY_WEB_PUBLIC_STREAMS_ENABLED', 'true', { web_public_streams_enabled: true }],
    ['PARLEY_MAIL', 'log', { mail: { to: 'log' } }],
    ['PARLEY_MAIL', 'dir:/tmp/letters', { mail: { to: 'dir', path: '/tmp/letters' } }],
    ['PARLEY_MAIL', 'smtp://a:b@mail:25', { mail: { to: 'smtp', url: 'smtp://a:b@mail:25' } }],
    ['PARLEY_LOG', 'silent', { log: 'silent' }],
    ['PARLEY_METRICS_PORT', '9090', { metrics_port: 9090 }],
    ['PARLEY_METRICS_PORT', 'off', { metrics_port: undefined }],
    ['PARLEY_MIGRATE', 'off', { migrate: false }],
    ['PARLEY_DOCS', 'off', { docs: false }],
    ['PARLEY_SECRET', SECRET, { secret: SECRET }],
    ['PARLEY_PORT', '', { port: 8080 }],
  ])('%s=%s', (name, text, expected) => {
    expect(readConfig({ [name]: text })).toMatchObject(expected);
  });

  test('PARLEY_SECRET_FILE names the file of the secret; white space around it is ignored', () => {
    expect(readConfig({ PARLEY_SECRET_FILE: file('good', `${SECRET}\n`) }).secret).toBe(SECRET);
  });

  test('PARLEY_DATABASE_TIMEOUTS limits the wait for a lock to less than the time of a statement', () => {
    const read = (timeouts: object) =>
      readConfig({ PARLEY_DATABASE_TIMEOUTS: JSON.stringify(timeouts) }).database_timeouts;
    expect(read({ statement: 6000, lock: 5999 })).toMatchObject({
      statement: 6000,
      lock: 5999,
      idle_transaction: 5000,
    });
    expect(() => read({ statement: 6000, lock: 6000 })).toThrow(
      'PARLEY_DATABASE_TIMEOUTS: "lock" (6000) must be less than "statement" (6000).',
    );
    expect(read({ statement: 6000 })).toMatchObject({ lock: 3000 });
    expect(() => read({ lock: 600_000 })).toThrow('"lock" (600000) must be less than "statement"');
  });

  test('PARLEY_RATE_LIMITS keeps the defaults of limits that it leaves out, and orders windows by size', () => {
    const { rate_rules } = readConfig({ PARLEY_RATE_LIMITS: '{"account":"3600:5000,60:1000","ip":"off"}' });
    expect(rate_rules).toEqual({
      account: [
        { seconds: 60, count: 1000 },
        { seconds: 3600, count: 5000 },
      ],
      events: [{ seconds: 60, count: 200 }],
      ip: [],
      password: [{ seconds: 1800, count: 5 }],
      email_change: [
        { seconds: 3600, count: 2 },
        { seconds: 86_400, count: 5 },
      ],
    });
    expect(Object.values(readConfig({ PARLEY_RATE_LIMITS: 'off' }).rate_rules)).toEqual([[], [], [], [], []]);
  });

  test('PARLEY_COLLECTION_LIMITS keeps the defaults of limits that it leaves out', () => {
    const { collection_limits } = readConfig({ PARLEY_COLLECTION_LIMITS: '{"drafts":2000}' });
    expect(collection_limits).toEqual({ ...readConfig({}).collection_limits, drafts: 2000 });
    expect(readConfig({}).collection_limits).toMatchObject({
      ...{ event_queues: 100, bots: 50, drafts: 1000, scheduled_messages: 1000, alert_words: 200, user_topics: 10_000 },
      ...{ new_streams: 500, streams: 20_000, user_groups: 2000, custom_emoji: 2000 },
    });
  });
});

describe('the error of an invalid value names the variable in one sentence', () => {
  test.each([
    ['PARLEY_PORT', '80a'],
    ['PARLEY_PORT', '65536'],
    ['PARLEY_PORT', '-1'],
    ['PARLEY_HOST', 'http://localhost'],
    ['DATABASE_URL', 'mysql://localhost/x'],
    ['PARLEY_SECRET', 'x'.repeat(31)],
    ['PARLEY_SECRET_FILE', '/nowhere/secret'],
    ['PARLEY_SECRET_FILE', file('short', 'short\n')],
    ['PARLEY_BASE_DOMAIN', 'http://example.com'],
    ['PARLEY_BASE_DOMAIN', 'example.com:8080'],
    ['PARLEY_ALLOWED_ORIGINS', '*'],
    ['PARLEY_ALLOWED_ORIGINS', 'https://app.example.com/'],
    ['PARLEY_ALLOWED_ORIGINS', 'app.example.com'],
    ['PARLEY_ALLOWED_ORIGINS', 'null'],
    ['PARLEY_TRUST_PROXY', 'true'],
    ['PARLEY_TRUST_PROXY', '10.0.0.0/33'],
    ['PARLEY_TRUST_PROXY', 'on'],
    ['PARLEY_WEB_PUBLIC_STREAMS_ENABLED', 'yes'],
    ['PARLEY_MAIL', 'mail.example.com'],
    ['PARLEY_MAIL', 'dir:'],
    ['PARLEY_LOG', 'loud'],
    ['PARLEY_METRICS_PORT', 'on'],
    ['PARLEY_MIGRATE', 'never'],
    ['PARLEY_DOCS', '1'],
    ['PARLEY_RATE_LIMITS', 'none'],
    ['PARLEY_RATE_LIMITS', '[]'],
    ['PARLEY_RATE_LIMITS', '{"accounts":"60:1"}'],
    ['PARLEY_RATE_LIMITS', '{"account":"60"}'],
    ['PARLEY_RATE_LIMITS', '{"account":"0:5"}'],
    ['PARLEY_RATE_LIMITS', '{"account":"60:0"}'],
    ['PARLEY_RATE_LIMITS', '{"account":60}'],
    ['PARLEY_RATE_LIMITS', '{"account":"2147484:1"}'],
    ['PARLEY_DATABASE_TIMEOUTS', '{"locks":5}'],
    ['PARLEY_DATABASE_TIMEOUTS', '{"lock":0}'],
    ['PARLEY_COLLECTION_LIMITS', 'off'],
    ['PARLEY_COLLECTION_LIMITS', '[]'],
    ['PARLEY_COLLECTION_LIMITS', '{"draft":5}'],
    ['PARLEY_COLLECTION_LIMITS', '{"drafts":0}'],
    ['PARLEY_COLLECTION_LIMITS', '{"drafts":"5"}'],
    ['PARLEY_COLOUR', 'blue'],
    ['PARLEY_LDAP', 'ldaps://ldap'],
    ['PARLEY_LDAP', '{"url":"ldaps://ldap"}'],
    ['PARLEY_LDAP', '{"url":"http://ldap","base":"dc=x"}'],
    ['PARLEY_LDAP', '{"url":"ldaps://ldap/dc=x","base":"dc=x"}'],
    ['PARLEY_LDAP', '{"url":"ldaps://ldap","base":"dc=x","bind_dn":"cn=x"}'],
    ['PARLEY_LDAP', '{"url":"ldaps://ldap","base":"dc=x","filter":"(uid=x)"}'],
    ['PARLEY_LDAP', '{"url":"ldaps://ldap","base":"dc=x","filter":"uid={username}"}'],
    ['PARLEY_LDAP', '{"url":"ldaps://ldap","base":"dc=x","start_tls":"maybe"}'],
    ['PARLEY_LDAP', '{"url":"ldaps://ldap","base":"dc=x","ca":"/nowhere/ca"}'],
    ['PARLEY_LDAP', '{"url":"ldaps://ldap","base":"dc=x","organizations":[]}'],
    ['PARLEY_LDAP', '{"url":"ldaps://ldap","base":"dc=x","colour":"blue"}'],
    ['DATABASE_URL_FILE', '/nowhere/url'],
    ['DATABASE_URL_FILE', file('mysql', 'mysql://localhost/x')],
    ['PARLEY_MAIL_FILE', '/nowhere/mail'],
    ['PARLEY_LDAP_FILE', '/nowhere/ldap'],
    ['PARLEY_LDAP_FILE', file('ldap-not-json', 'ldaps')],
    ['PARLEY_OIDC', '{}'],
    ['PARLEY_OIDC', '[]'],
    ['PARLEY_OIDC', '[{"id":"x","name":"X","issuer":"https://id"}]'],
    ['PARLEY_OIDC', '[{"id":"X","name":"X","issuer":"https://id","client_id":"x"}]'],
    ['PARLEY_OIDC', '[{"id":"x","name":" ","issuer":"https://id","client_id":"x"}]'],
    ['PARLEY_OIDC', '[{"id":"x","name":"X","issuer":"http://id","client_id":"x"}]'],
    ['PARLEY_OIDC', '[{"id":"x","name":"X","issuer":"http://localhost.evil","client_id":"x"}]'],
    ['PARLEY_OIDC', '[{"id":"x","name":"X","issuer":"https://id","client_id":"x","icon":"javascript:x"}]'],
    ['PARLEY_OIDC', '[{"id":"x","name":"X","issuer":"https://id","client_id":"x","method":"LDAP"}]'],
    ['PARLEY_OIDC', `[${[1, 2].map(() => '{"id":"x","name":"X","issuer":"https://id","client_id":"x"}')}]`],
    ['PARLEY_OIDC_FILE', '/nowhere/oidc'],
    ['PARLEY_SAML', '[{"id":"x","name":"X","issuer":"x","login_url":"https://x"}]'],
    ['PARLEY_SAML', '[{"id":"x","name":"X","issuer":"x","login_url":"https://x","certificate":"x"}]'],
    ['PARLEY_SAML', '[{"id":"x","name":"X","issuer":"x","login_url":"http://x","certificate":"x"}]'],
    ['PARLEY_SAML_FILE', '/nowhere/saml'],
  ])('%s=%s', (name, text) => {
    const read = () => readConfig({ [name]: text });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(new RegExp(`^[^.]*${name}.*\\.$`));
  });

  test('the error names a field of the value as well', () => {
    const problem = (name: string, text: string) => () => readConfig({ [name]: text });
    expect(problem('PARLEY_LDAP', '{"url":"http://x","base":"x"}')).toThrow('PARLEY_LDAP: "url" must be an ldap://');
    expect(problem('PARLEY_OIDC', '[{"idd":"x"}]')).toThrow('PARLEY_OIDC: there is no field "idd".');
  });

  test('the error of an unknown name suggests a known one close to it', () => {
    expect(() => readConfig({ PARLEY_DATADIR: 'x' })).toThrow(/did you mean PARLEY_DATA_DIR/);
  });

  test('DATABASE_URL needs a secret, and two secrets fail', () => {
    expect(() => readConfig({ DATABASE_URL: 'postgres://db/x' })).toThrow(
      /PARLEY_SECRET must be set with DATABASE_URL/,
    );
    const two = { PARLEY_SECRET: SECRET, PARLEY_SECRET_FILE: file('second', SECRET) };
    expect(() => readConfig(two)).toThrow(/PARLEY_SECRET and PARLEY_SECRET_FILE/);
  });
});

describe('the identity services', () => {
  const ldap = { url: 'ldaps://ldap', base: 'dc=x', bind_dn: 'cn=parley', bind_password: 'hunter2' };
  const oidc = { id: 'x', name: 'X', issuer: 'https://id', client_id: 'x', client_secret: 'hunter2' };

  test('are none by default, and fields that are left out have defaults', () => {
    expect(readConfig({}).identity).toEqual({ ldap: undefined, oidc: [], saml: [] });
    const { identity } = readConfig({ PARLEY_LDAP: JSON.stringify(ldap), PARLEY_OIDC: JSON.stringify([oidc]) });
    expect(identity.ldap).toEqual({
      ...ldap,
      start_tls: true,
      filter: '(|(uid={username})(mail={username}))',
      email: 'mail',
      full_name: 'cn',
      ca: undefined,
      organizations: undefined,
    });
    expect(identity.oidc).toEqual([{ ...oidc, icon: null, method: 'OpenID Connect', organizations: undefined }]);
  });

  test('can be in a file, and are printed without secrets', () => {
    const kept = file('oidc.json', JSON.stringify([oidc]));
    expect(readConfig({ PARLEY_OIDC_FILE: kept }).identity.oidc).toMatchObject([oidc]);
    const both = { PARLEY_OIDC_FILE: kept, PARLEY_OIDC: JSON.stringify([oidc]) };
    expect(() => readConfig(both)).toThrow(/PARLEY_OIDC and PARLEY_OIDC_FILE are both set/);
    const { printed } = readConfig({ PARLEY_LDAP: JSON.stringify(ldap), PARLEY_OIDC: JSON.stringify([oidc]) });
    expect(JSON.stringify(printed)).not.toContain('hunter2');
    expect(printed.PARLEY_OIDC).toContain('https://id');
  });
});

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

  test.each(['a'.repeat(32), 'abab'.repeat(10), 'hunter2'.repeat(6), 'abcdefgh'.repeat(4), 'short'])(
    'rejects the secret %j, which can be guessed',
    (PARLEY_SECRET) => {
      expect(() => readConfig({ PARLEY_SECRET })).toThrow(
        /PARLEY_SECRET must be at least 32 characters made by chance/,
      );
      expect(() => readConfig({ PARLEY_SECRET_FILE: file('weak', PARLEY_SECRET) })).toThrow(/made by chance/);
    },
  );

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

describe('the secret of the embedded database', () => {
  test('is created once, readable by the owner only, and kept', () => {
    const config = readConfig({ PARLEY_DATA_DIR: join(folder, 'data') });
    const secret = loadSecret(config);
    expect(secret.length).toBeGreaterThanOrEqual(32);
    expect(loadSecret(config)).toBe(secret);
    expect(readFileSync(join(folder, 'data', 'secret'), 'utf8').trim()).toBe(secret);
    expect(statSync(join(folder, 'data', 'secret')).mode & 0o777).toBe(0o600);
  });

  test('is not created when the configuration has one', () => {
    expect(loadSecret(readConfig({ PARLEY_SECRET: SECRET, PARLEY_DATA_DIR: '/nowhere' }))).toBe(SECRET);
  });
});
