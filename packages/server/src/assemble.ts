// Creates everything above the database: most of the code, which is loaded while the secrets are recognized.
import { type Database, DatabaseClock } from '@parley/db';
import { type App, createApp } from './app.ts';
import type { CleanupStep } from './cleanup.ts';
import type { Config } from './config/index.ts';
import { connectTo } from './connect.ts';
import type { Logger } from './core/log.ts';
import type { Secrets } from './core/secrets.ts';
import { createLimits } from './http/limits/index.ts';
import type { Metrics } from './http/metrics.ts';
import type { OnBadResponse } from './http/validate.ts';
import { createIdentity } from './identity/index.ts';
import { createMailer, withMetrics } from './mail/mailer.ts';

/** Callbacks that report what the app does. */
export interface AppHooks {
  readonly onBadResponse?: OnBadResponse;
  readonly onEmail?: Metrics['countEmail'];
}

interface Parts {
  readonly config: Config;
  readonly database: Database;
  readonly secrets: Secrets;
  readonly log: Logger;
  readonly hooks: AppHooks;
  /** Adds what stops a part. */
  readonly add: (step: CleanupStep) => void;
}

export async function assembleApp({ config, database, secrets, log, hooks, add }: Parts): Promise<App> {
  const counting = config.database_url === undefined ? undefined : connectTo(config.database_url, config, 2);
  if (counting) add(() => counting.close());
  const clock = await openClock(database);
  add(() => clock.stop());
  const limits = createLimits(config.rate_rules, counting, undefined, clock.now);
  add(() => limits.close());
  const mailer = withMetrics(createMailer(config.mail, log, config.base_domain), hooks.onEmail ?? (() => {}));
  add(() => mailer.close());
  const app = await createApp({
    database,
    clock: clock.now,
    log,
    limits,
    requestLimits: limits,
    mailer,
    identity: await createIdentity(config.identity),
    secrets,
    serverAddress: getServerAddress(config, config.port),
    trustProxy: config.trust_proxy,
    allowedOrigins: config.allowed_origins,
    uploadSpace: config.upload_space,
    collectionLimits: config.collection_limits,
    onBadResponse: hooks.onBadResponse,
  });
  add(() => app.polls.close());
  // Positions that are not saved are only older than necessary, which loses no event.
  add(() =>
    app.polls
      .flush()
      .catch((error: unknown) => log.warn({ err: error }, 'the positions of event queues were not saved')),
  );
  return app;
}

/** The embedded database uses the clock of this process. */
async function openClock(database: Database): Promise<Pick<DatabaseClock, 'now' | 'stop'>> {
  if (database.kind === 'embedded') return { now: () => new Date(), stop: () => {} };
  const clock = new DatabaseClock();
  await clock.synchronize(database.db);
  clock.start(database);
  return clock;
}

/** Links contain the public port. Behind a proxy that is the proxy's, with https. */
export function getServerAddress(config: Config, port: number) {
  const behindProxy = config.trust_proxy !== false;
  return {
    base_domain: config.base_domain,
    port: behindProxy || port === 80 ? undefined : port,
    scheme: behindProxy ? ('https' as const) : ('http' as const),
    web_public_streams_enabled: config.web_public_streams_enabled,
  };
}
