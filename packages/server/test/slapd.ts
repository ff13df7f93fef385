// A real directory, OpenLDAP's server of the Debian package `slapd`, with a few users in it.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { findServerPort } from './server-port.ts';

const SLAPD = '/usr/sbin/slapd';
export const hasSlapd = existsSync(SLAPD);

export const BASE = 'dc=example,dc=com';
export const SERVICE = { dn: `cn=parley,${BASE}`, password: 'the password of Parley itself' };

export interface Listed {
  readonly uid: string;
  readonly mail?: string;
  readonly cn?: string;
  readonly password: string;
}

const config = (folder: string, tls: boolean) => `
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
pidfile ${folder}/pid
modulepath /usr/lib/ldap
moduleload back_mdb
# What old directories do: they let in whoever gives a name and no password.
allow bind_anon_cred bind_anon_dn
${tls ? `TLSCertificateFile ${folder}/cert.pem\nTLSCertificateKeyFile ${folder}/key.pem\nTLSCACertificateFile ${folder}/cert.pem` : ''}
database mdb
suffix "${BASE}"
directory ${folder}/data
rootdn "${SERVICE.dn}"
rootpw "${SERVICE.password}"
access to attrs=userPassword by anonymous auth by * none
access to * by * read
`;

const entry = (dn: string, lines: Readonly<Record<string, string | undefined>>, ...classes: string[]) =>
  [
    `dn: ${dn}`,
    ...classes.map((one) => `objectClass: ${one}`),
    ...Object.entries(lines).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`])),
    '',
    '',
  ].join('\n');

const person = ({ uid, mail, cn = uid, password }: Listed) =>
  entry(`uid=${uid},ou=people,${BASE}`, { cn, sn: cn, mail, userPassword: password }, 'inetOrgPerson');

interface Options {
  readonly users: readonly Listed[];
  /** Referrals in the directory lead to these addresses. */
  readonly elsewhere?: string;
  readonly tls?: { cert: string; key: string };
}

export async function startSlapd({ users, elsewhere, tls }: Options) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-slapd-'));
  mkdirSync(join(folder, 'data'));
  if (tls) {
    writeFileSync(join(folder, 'cert.pem'), tls.cert);
    writeFileSync(join(folder, 'key.pem'), tls.key);
  }
  writeFileSync(join(folder, 'slapd.conf'), config(folder, tls !== undefined));
  const ldif = [
    entry(BASE, { dc: 'example', o: 'Example' }, 'dcObject', 'organization'),
    entry(`ou=people,${BASE}`, {}, 'organizationalUnit'),
    ...users.map(person),
    ...(elsewhere ? [entry(`ou=away,ou=people,${BASE}`, { ref: elsewhere }, 'referral', 'extensibleObject')] : []),
  ].join('');
  execFileSync(SLAPD, ['-T', 'add', '-q', '-f', join(folder, 'slapd.conf')], { input: ldif });
  const port = await findServerPort();
  const secure = await findServerPort();
  const addresses = [`ldap://127.0.0.1:${port}/`, ...(tls ? [`ldaps://127.0.0.1:${secure}/`] : [])];
  const server = spawn(SLAPD, ['-f', join(folder, 'slapd.conf'), '-h', addresses.join(' '), '-d', '0'], {
    stdio: 'ignore',
  });
  await vi.waitFor(() => answers(port), { timeout: 60_000, interval: 20 });
  return {
    url: `ldap://127.0.0.1:${port}`,
    secureUrl: `ldaps://127.0.0.1:${secure}`,
    async stop() {
      if (server.exitCode !== null || server.signalCode !== null) return;
      server.kill('SIGKILL');
      await once(server, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}

export type Slapd = Awaited<ReturnType<typeof startSlapd>>;

async function answers(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
}
