import { describe, expect, test } from 'vitest';
import { createConfigFolder } from '../../test/fixtures/config-folder.ts';
import { readConfig } from './index.ts';

const { file } = createConfigFolder();

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
    const path = file('oidc.json', JSON.stringify([oidc]));
    expect(readConfig({ PARLEY_OIDC_FILE: path }).identity.oidc).toMatchObject([oidc]);
    const both = { PARLEY_OIDC_FILE: path, PARLEY_OIDC: JSON.stringify([oidc]) };
    expect(() => readConfig(both)).toThrow(/PARLEY_OIDC and PARLEY_OIDC_FILE are both set/);
    const { printed } = readConfig({ PARLEY_LDAP: JSON.stringify(ldap), PARLEY_OIDC: JSON.stringify([oidc]) });
    expect(JSON.stringify(printed)).not.toContain('hunter2');
    expect(printed.PARLEY_OIDC).toContain('https://id');
  });
});
