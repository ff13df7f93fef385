// Two Parley processes on one PostgreSQL database, behind a proxy, and clients that use it over TLS.
import { type Calls, createClient } from '@parley/client';
import {
  createPostgresEnvironment,
  createRealm,
  type Environment,
  endServers,
  type Login,
  type Process,
  startServer,
  type TestEnvironment,
} from '../../packages/server/test/parley.ts';
import { findServerPort } from '../../packages/server/test/server-port.ts';
import { type HttpsClient, openHttpsClient } from './https-client.ts';
import { DOMAIN, type RunningProxy, type StartProxy } from './proxy.ts';

export interface Deployment {
  readonly proxy: RunningProxy;
  readonly client: HttpsClient;
  readonly owner: Login;
  /** The SDK as the organization's owner. It does not retry requests. */
  readonly api: Calls;
  readonly processes: readonly [Process, Process];
  /** Restarts a process that has ended, on the same port. */
  restart(index: 0 | 1): Promise<void>;
  end(): Promise<void>;
}

/** Starts everything, and stops what was started if one part fails. `settings` are those of the Parley processes. */
export async function deploy(start: StartProxy, settings: Environment = {}): Promise<Deployment> {
  const environment = await createPostgresEnvironment();
  try {
    return await deployAt(environment, start, settings);
  } catch (error) {
    await endServers();
    await environment.remove();
    throw error;
  }
}

async function deployAt(environment: TestEnvironment, start: StartProxy, settings: Environment): Promise<Deployment> {
  const variables = {
    ...environment.variables,
    PARLEY_BASE_DOMAIN: DOMAIN,
    PARLEY_TRUST_PROXY: 'loopback',
    PARLEY_METRICS_PORT: '0',
    PARLEY_RATE_LIMITS: '{"account":"off","events":"off","password":"off","ip":"3600:3"}',
    ...settings,
  };
  const ports = [await findServerPort(), await findServerPort()] as const;
  const serve = (index: 0 | 1) => startServer({ ...variables, PARLEY_PORT: String(ports[index]) });
  const processes: [Process, Process] = [await serve(0), await serve(1)];
  const owner = await createRealm(variables);
  const proxy = await start(ports);
  const client = openHttpsClient(proxy);
  return {
    proxy,
    client,
    owner,
    processes,
    api: createClient(`https://${DOMAIN}`, {
      login: { email: owner.email, apiKey: owner.api_key },
      fetch: client.fetch,
      retries: 0,
    }),
    async restart(index) {
      processes[index] = await serve(index);
    },
    async end() {
      client.close();
      await proxy.end();
      await endServers();
      await environment.remove();
    },
  };
}
