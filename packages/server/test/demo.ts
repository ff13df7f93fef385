// A server with the demo organization at a fixed time: the examples of the document are requests to it.

import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { encodeBody, encodeForm, routes } from '@parley/client';
import type { Database } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { Recipe } from '@parley/openapi/document';
import { type App, createApp } from '../src/app.ts';
import { ldapSettings, oidcSettings } from '../src/config/identity.ts';
import { createLog } from '../src/core/log.ts';
import { type DemoAccount, ensureDemo } from '../src/features/user-admin/index.ts';
import { listUsersByApiEmails } from '../src/features/users/index.ts';
import { createListener } from '../src/http/listener.ts';
import { createServer } from '../src/http/server.ts';
import { createIdentity } from '../src/identity/index.ts';
import { createMailer } from '../src/mail/mailer.ts';
import { filledDatabase, type TestDatabase } from './database.ts';
import { operate } from './operator.ts';
import { recordSeenResponses } from './seen-responses.ts';
import { seeStatement } from './seen-statements.ts';
import { unlimited } from './unlimited.ts';

export interface DemoResponse {
  status: number;
  body: Record<string, unknown>;
}

const FORM = 'application/x-www-form-urlencoded';
const SECRET = 'the examples are made with this one secret';

/** A directory that is down, and a provider: both for an organization that enables them. */
const elsewhere = {
  ldap: ldapSettings('{"url":"ldap://127.0.0.1:1","base":"dc=example,dc=com"}'),
  oidc: oidcSettings('[{"id":"acme","name":"Acme ID","issuer":"https://id.example.com","client_id":"parley"}]'),
  saml: [],
};

export type Demo = Awaited<ReturnType<typeof startDemo>>;

/** A database with the demo organization. */
export const demoDatabase = (): Promise<TestDatabase> =>
  filledDatabase(
    'demo',
    async (empty) => {
      const app = await demoApp(empty);
      await ensureDemo(app);
      // The examples contain API keys.
      await empty.db.execute(sql`update realms set key_salt = 'the salt of the examples'`);
      await app.polls.close();
    },
    seeStatement,
  );

interface DemoOptions {
  readonly requestLimits?: typeof unlimited;
  /**
   * A database with the demo organization, which stays open when the server is closed; absent: the server has one of
   * its own.
   */
  readonly database?: TestDatabase;
}

export async function startDemo(options: DemoOptions = {}) {
  const database = options.database ?? (await demoDatabase());
  const app = await demoApp(database, options.requestLimits);
  const { users: demoUsers, realm } = await ensureDemo(app);
  const echo = (await listUsersByApiEmails({ db: database.db, realm }, ['echo@example.com'])).get('echo@example.com');
  if (!echo) throw new Error('Echo is missing');
  const api_key = app.server.apiKeyOf(realm, echo);
  demoUsers.push({ name: 'Echo', role: 'bot', user_id: echo.id, email: echo.delivery_email, api_key });
  const listener = createListener(createServer(app, [recordSeenResponses])).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;

  return {
    app,
    database,
    demoUsers,
    url: `http://localhost:${port}`,
    async call(step: Recipe, host = 'localhost'): Promise<DemoResponse> {
      if (step.as !== 'operator') return send(port, host, demoUsers, step);
      await operate(app, step.operation ?? '', step.params);
      return { status: 200, body: { result: 'success', msg: '' } };
    },
    async close() {
      app.polls.close();
      listener.closeAllConnections();
      listener.close();
      await once(listener, 'close');
      if (!options.database) await database.close();
    },
  };
}

const demoApp = async (database: Database, requestLimits: typeof unlimited = unlimited): Promise<App> =>
  createApp({
    database,
    clock: () => new Date('2026-01-05T09:00:00Z'),
    log: createLog('silent'),
    limits: unlimited,
    requestLimits,
    mailer: createMailer({ to: 'log' }, createLog('silent'), 'localhost'),
    identity: await createIdentity(elsewhere),
    secrets: { current: SECRET },
    serverAddress: { base_domain: 'localhost', port: 8080, scheme: 'http', web_public_streams_enabled: false },
    trustProxy: false,
  });

async function send(
  port: number,
  host: string,
  demoUsers: readonly DemoAccount[],
  step: Recipe,
): Promise<DemoResponse> {
  const { method, path: template } = routes[step.operation as keyof typeof routes];
  const params = { ...step.params };
  const path = template.replaceAll(/{(\w+)}/g, (_, name: string) => {
    const value = String(params[name]);
    delete params[name];
    return encodeURIComponent(value);
  });
  const query = encodeForm(params).toString();
  const inQuery = method === 'GET' && query !== '' ? `?${query}` : '';
  const { type, body } = await bodyOf(method, step, params);
  const person = demoUsers.find(({ name }) => name.toLowerCase() === (step.as ?? 'hamlet'));
  const headers = {
    Host: host,
    ...(step.origin !== undefined && { Origin: step.origin }),
    ...(person && { Authorization: `Basic ${Buffer.from(`${person.email}:${person.api_key}`).toString('base64')}` }),
    ...(step.token !== undefined && { Authorization: `Bearer ${step.token}` }),
    ...(body && { 'Content-Type': type, 'Content-Length': body.length }),
  };
  return new Promise((resolve, reject) => {
    const req = request({ port, host: '127.0.0.1', method, path: `/api/v1${path}${inQuery}`, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) }),
      );
    });
    req.on('error', reject);
    req.end(body);
  });
}

/** The body of a request, encoded as the client encodes it; a raw one as it is. */
async function bodyOf(method: string, { body_text, content_type, files = {}, file_names }: Recipe, params: object) {
  if (method === 'GET') return {};
  if (body_text !== undefined) return { type: content_type ?? FORM, body: Buffer.from(body_text) };
  const blobs = Object.entries(files).map(([name, base64]) => [
    name,
    new File([Buffer.from(base64, 'base64')], file_names?.[name] ?? 'blob'),
  ]);
  const encoded = new Response(encodeBody({ ...params, ...Object.fromEntries(blobs) }));
  return { type: encoded.headers.get('Content-Type') ?? FORM, body: Buffer.from(await encoded.arrayBuffer()) };
}
