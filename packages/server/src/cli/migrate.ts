import { migrationStatus } from '@parley/db';
import { bringUpToDate } from '../open.ts';
import { columns } from './columns.ts';
import type { CommandHandler } from './types.ts';

const status: CommandHandler<object> = async ({ app }) => {
  const migrations = await migrationStatus(app.database.db);
  return {
    json: { migrations },
    lines: columns(migrations.map(({ name, applied }) => [name, applied ? 'applied' : 'missing'])),
  };
};

const dryRun: CommandHandler<object> = async ({ app }) => {
  const missing = (await migrationStatus(app.database.db)).filter(({ applied }) => !applied).map(({ name }) => name);
  return {
    json: { would_apply: missing },
    lines: missing.length > 0 ? missing.map((name) => `would apply ${name}`) : ['Nothing to do.'],
  };
};

const apply: CommandHandler<object> = async ({ app }) => {
  const applied = await bringUpToDate(app.database);
  return {
    json: { applied },
    lines: applied.length > 0 ? applied.map((name) => `applied ${name}`) : ['Nothing to do.'],
  };
};

export const migrateWorks = { 'migrate status': status, 'migrate dry-run': dryRun, migrate: apply };
