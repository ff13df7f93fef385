// The command line on a machine without a server.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { listOwnNames } from '../../../db/test/later-migrations.ts';
import {
  createEmbeddedEnvironment,
  createRealm,
  createUnmigratedEnvironment,
  type Environment,
  endServers,
  PASSWORD,
  parley,
  parleyJson,
  type TestEnvironment,
} from '../parley.ts';

// Every command is a new process.
vi.setConfig({ testTimeout: 180_000 });
afterAll(endServers);

describe('the command line without a server', () => {
  let environment: TestEnvironment;
  let variables: Environment;
  beforeAll(async () => {
    environment = await createEmbeddedEnvironment();
    variables = environment.variables;
  });
  afterAll(() => environment.remove());

  test('creates an organization on a new machine and lists it', async () => {
    const made = await createRealm(variables, 'acme');
    expect(made).toEqual({
      realm_id: expect.any(Number),
      user_id: expect.any(Number),
      email: 'olga@example.com',
      api_key: expect.stringMatching(/^\w{32}$/),
    });
    const listed = await parleyJson('realm list'.split(' '), variables);
    expect(listed).toEqual([{ realm_id: made.realm_id, subdomain: 'acme', name: 'Testing', deactivated: false }]);
    expect(statSync(join(variables.PARLEY_DATA_DIR ?? '', 'secret')).mode & 0o777).toBe(0o600);
  });

  test('fails with one sentence on stderr, exit code 1 and nothing on stdout', async () => {
    const again = await parley(
      [
        'realm',
        'create',
        '--subdomain',
        'acme',
        '--name',
        'X',
        '--owner-email',
        'x@example.com',
        '--owner-name',
        'Xx',
        '--owner-password',
        PASSWORD,
        '--json',
      ],
      variables,
    );
    expect(again).toEqual({
      code: 1,
      stdout: '',
      stderr: 'There is already an organization at the subdomain "acme".\n',
    });
  });

  test.each([
    [['realm', 'create', '--subdomain', 'x', '--json'], /--name/],
    [['realm', 'sett', 'acme', 'name', 'X'], /sett/],
    [['user', 'show', '--realm', 'acme', 'seven'], /seven/],
    [
      ['user', 'create', '--realm', 'acme', '--email', 'a@b.c', '--name', 'Ada', '--password', 'x', '--role', 'king'],
      /king/,
    ],
    [['user', 'create', '--realm', 'acme', '--email', 'a@b.c', '--name', 'Ada'], /--password/],
    [['user', 'create', '--realm', 'acme', '--email', 'a@b.c', '--name', 'Ada', '--bot'], /--bot-owner/],
    [['dance'], /dance/],
  ])('%j is an invalid command line: exit code 2', async (words, named) => {
    const { code, stdout, stderr } = await parley(words, variables);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(named);
  });

  test('an invalid or unknown variable stops every command with exit code 2', async () => {
    const bad = await parley(['realm', 'list'], { ...variables, PARLEY_PORT: 'eighty' });
    expect(bad).toEqual({ code: 2, stdout: '', stderr: 'PARLEY_PORT must be a port number, 0 to 65535.\n' });
    const unknown = await parley(['serve'], { ...variables, PARLEY_COLOUR: 'blue' });
    expect(unknown).toMatchObject({ code: 2, stderr: 'PARLEY_COLOUR is not a setting of Parley.\n' });
  });

  const status = (applied: boolean) => ({
    migrations: listOwnNames().map((name) => ({ name, applied })),
  });

  test('migrate has nothing to do in a new directory of the embedded database', async () => {
    const fresh = await createEmbeddedEnvironment();
    expect(await parleyJson(['migrate', '--status'], fresh.variables)).toEqual(status(true));
    expect(await parleyJson(['migrate'], fresh.variables)).toEqual({ applied: [] });
    await fresh.remove();
  });

  test('migrate lists the migrations that it would apply', async () => {
    const fresh = await createUnmigratedEnvironment();
    expect(await parleyJson(['migrate', '--status'], fresh.variables)).toEqual(status(false));
    const { would_apply } = await parleyJson<{ would_apply: string[] }>(['migrate', '--dry-run'], fresh.variables);
    expect(would_apply).toEqual(listOwnNames());
    expect(await parleyJson(['migrate'], fresh.variables)).toEqual({ applied: would_apply });
    expect(await parleyJson(['migrate', '--status'], fresh.variables)).toEqual(status(true));
    await fresh.remove();
  });

  test('doctor reports problems and exits with 1', async () => {
    const { code, stdout } = await parley(['doctor'], { ...variables, PARLEY_MAIL: 'dir:/nowhere/at/all' });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^WRONG {2}mail: the server cannot write to \/nowhere\/at\/all:/m);
    expect(stdout).toMatch(/^ok {5}migrations: all applied/m);
    expect(await parleyJson(['doctor'], variables)).toMatchObject({ ok: true });
  });

  test('doctor reports which identity service is unavailable', async () => {
    const PARLEY_LDAP = '{"url":"ldap://127.0.0.1:1","base":"dc=example,dc=com"}';
    const PARLEY_OIDC = '[{"id":"acme","name":"Acme","issuer":"http://127.0.0.1:1","client_id":"parley"}]';
    const { code, stdout } = await parley(['doctor'], { ...variables, PARLEY_LDAP, PARLEY_OIDC });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^WRONG {2}directory: .*ECONNREFUSED.*: check PARLEY_LDAP$/m);
    expect(stdout).toMatch(/^WRONG {2}oidc:acme: http:\/\/127\.0\.0\.1:1 cannot be used.*: check PARLEY_OIDC$/m);
  });

  test('config shows the effective values and hides secrets', async () => {
    const { code, stdout } = await parley(['config'], {
      ...variables,
      PARLEY_SECRET: 'hunter2, and more that nobody would guess',
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^PARLEY_SECRET +\*{8}$/m);
    expect(stdout).not.toContain('hunter2');
  });
});
