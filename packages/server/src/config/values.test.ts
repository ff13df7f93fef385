import { describe, expect, test } from 'vitest';
import { createConfigFolder, SECRET } from '../../test/fixtures/config-folder.ts';
import { ConfigError, readConfig } from './index.ts';

const { file } = createConfigFolder();

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
