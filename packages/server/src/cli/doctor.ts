import { accessSync, constants } from 'node:fs';
import { createConnection } from 'node:net';
import {
  type Database,
  databaseFacts,
  findEpoch,
  findIdentity,
  isUpToDate,
  type KnownSecret,
  listKnownSecrets,
  type SchemaState,
  schemaState,
} from '@parley/db';
import type { App } from '../app.ts';
import type { Mail } from '../config/index.ts';
import type { IdentityServices } from '../core/identity.ts';
import { findConfigured, UNKNOWN_SECRET } from '../secrets/index.ts';
import type { CommandHandler, CommandResult } from './types.ts';

interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** Maximum difference in seconds between the clocks of server and database. */
const DRIFT = 5;
const OLDEST_POSTGRES = 15;

const doctor: CommandHandler<object> = async ({ app, config }): Promise<CommandResult> => {
  const findings = [
    {
      check: 'configuration',
      ok: true,
      detail: `the host names of organizations are <subdomain>.${config.base_domain}`,
    },
    ...(await checkDatabase(app.database)),
    ...(await checkConnection(app.database)),
    ...(await checkSecrets(app)),
    ...(await checkEpochRow(app)),
    await checkMail(config.mail),
    ...(await checkIdentity(app.server.identity)),
  ];
  const ok = findings.every((finding) => finding.ok);
  return {
    json: { ok, findings },
    lines: findings.map(({ check, ok, detail }) => `${ok ? 'ok   ' : 'WRONG'}  ${check}: ${detail}`),
    failed: !ok,
  };
};

async function checkDatabase(database: Database): Promise<Finding[]> {
  const { version, major, now } = await databaseFacts(database.db);
  const drift = Math.abs(now.getTime() - Date.now()) / 1000;
  const schema = await schemaState(database.db);
  const kind = database.kind === 'embedded' ? 'embedded PostgreSQL' : 'PostgreSQL';
  const caveat =
    database.kind === 'embedded'
      ? '; it does not flush to disk on each commit: set DATABASE_URL to protect data from a power loss'
      : '';
  const old = major < OLDEST_POSTGRES;
  return [
    {
      check: 'database',
      ok: !old,
      detail: old ? `PostgreSQL ${version} is too old: use ${OLDEST_POSTGRES} or newer` : `${kind} ${version}${caveat}`,
    },
    {
      check: 'migrations',
      ok: schema.missing.length === 0 && schema.conflict === undefined,
      detail: describeSchema(schema),
    },
    {
      check: 'clock',
      ok: drift <= DRIFT,
      detail:
        drift <= DRIFT
          ? 'agrees with the clock of the database'
          : `${Math.round(drift)} s apart from the clock of the database, which the server uses: synchronize both with a time server`,
    },
  ];
}

function describeSchema({ missing, conflict, server, database, minimum }: SchemaState): string {
  if (conflict !== undefined) return conflict;
  if (missing.length > 0) return `${missing.length} missing: run parley migrate`;
  if (database === server) return 'all applied';
  return `all applied; the database has schema ${database}, for servers of schema ${minimum} or newer, and this one has schema ${server}`;
}

async function checkConnection(database: Database): Promise<Finding[]> {
  const facts = await database.describe();
  if (!facts) return [];
  const { isPooled, isPrepared, listens } = facts;
  const parts = [
    isPooled ? 'through a pooler, so timeouts are set in each transaction' : 'no pooler in between',
    isPrepared
      ? 'statements stay prepared'
      : 'statements are not prepared, which costs PostgreSQL several times the CPU',
    listens
      ? 'other processes notify this process of events'
      : 'other processes cannot notify this process: it queries new events twice a second and does not receive their ephemeral events, such as typing notifications. Set DATABASE_LISTEN_URL to the address without the pooler',
  ];
  return [{ check: 'connection', ok: true, detail: parts.join('; ') }];
}

/** How the server detects that PostgreSQL was restored or failed over. */
const EPOCH_EVIDENCE = ['system', 'timeline', 'database'];

async function checkEpochRow({ database }: App): Promise<Finding[]> {
  if (database.kind === 'embedded' || !(await isUpToDate(database.db))) return [];
  const identity = await findIdentity(database, database.db);
  const hidden = EPOCH_EVIDENCE.filter((name) => identity[name] === undefined);
  const epoch = await findEpoch(database.db);
  const last = epoch?.reason == null ? '' : `; the last one: ${epoch.raised_at.toISOString()}, ${epoch.reason}`;
  const detail =
    hidden.length === 0
      ? `the server detects restored dumps, recoveries and failovers${last}`
      : `this role cannot see ${hidden.join(' and ')}: run parley restored after a recovery or a failover${last}`;
  return [{ check: 'restores', ok: true, detail }];
}

/** Before the migrations, the database has no secrets. */
async function checkSecrets({ database, secrets }: App): Promise<Finding[]> {
  if (!(await isUpToDate(database.db))) return [];
  const known = await listKnownSecrets(database.db);
  const { current, previous } = await findConfigured(known, secrets);
  const replaces = !current && previous !== undefined;
  if (!current && !replaces && known.length > 0) return [{ check: 'secret', ok: false, detail: UNKNOWN_SECRET }];
  const detail = replaces ? 'replaces the previous secret when a server starts' : 'known to the database';
  if (secrets.previous === undefined) return [{ check: 'secret', ok: true, detail: known.length > 0 ? detail : 'new' }];
  return [
    { check: 'secret', ok: true, detail },
    { check: 'previous secret', ok: true, detail: detailOfPrevious(current, previous) },
  ];
}

function detailOfPrevious(current: KnownSecret | undefined, previous: KnownSecret | undefined): string {
  if (!previous) return 'not known to the database: no API key was derived from it';
  if (!current) return 'in use until a server starts with both';
  if (previous.used_at)
    return `an API key or an email address derived from it was last used at ${previous.used_at.toISOString()}`;
  return (
    `no API key and no email address derived from it was used since ${current.known_since.toISOString()}: PARLEY_SECRET_PREVIOUS ` +
    'can be removed a day after that, when all clients have fetched their new API keys'
  );
}

async function checkMail(mail: Mail): Promise<Finding> {
  if (mail.to === 'log')
    return { check: 'mail', ok: true, detail: 'emails go to the log: set PARLEY_MAIL to send them' };
  if (mail.to === 'dir') return checkFolder(mail.path);
  const { hostname, port, protocol } = new URL(mail.url);
  const at = Number(port || (protocol === 'smtps:' ? 465 : 25));
  const problem = await connectionProblem(hostname, at);
  const where = `${hostname} port ${at}`;
  return {
    check: 'mail',
    ok: !problem,
    detail: problem ? `cannot connect to ${where} (${problem}): check PARLEY_MAIL` : `${where} accepts connections`,
  };
}

async function checkIdentity({ directory, providers }: IdentityServices): Promise<Finding[]> {
  const services = [
    ...(directory ? [{ check: 'directory', variable: 'PARLEY_LDAP', connect: directory.check }] : []),
    ...providers.map(({ kind, id, check }) => ({
      check: `${kind}:${id}`,
      variable: kind === 'oidc' ? 'PARLEY_OIDC' : 'PARLEY_SAML',
      connect: check,
    })),
  ];
  return Promise.all(
    services.map(async ({ check, variable, connect }) => {
      try {
        await connect();
        return { check, ok: true, detail: 'available' };
      } catch (error) {
        return { check, ok: false, detail: `${(error as Error).message}: check ${variable}` };
      }
    }),
  );
}

function checkFolder(path: string): Finding {
  try {
    accessSync(path, constants.W_OK);
    return { check: 'mail', ok: true, detail: `emails go to ${path}` };
  } catch {
    return {
      check: 'mail',
      ok: false,
      detail: `the server cannot write to ${path}: create the folder, or change PARLEY_MAIL`,
    };
  }
}

function connectionProblem(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection({ host, port, timeout: 5000 });
    const end = (problem?: string) => {
      socket.destroy();
      resolve(problem);
    };
    socket.on('connect', () => end()).on('timeout', () => end('no connection in 5 s'));
    socket.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });
}

export const doctorWorks = { doctor };
