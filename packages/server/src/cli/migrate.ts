import { migrate, migrationStatus } from '@parley/db';
import type { Command } from 'commander';
import type { Work } from './types.ts';
import { columns, leaf, type Perform, performs } from './words.ts';

const status: Work<object> = async ({ app }) => {
  const migrations = await migrationStatus(app.database.db);
  return {
    json: { migrations },
    lines: columns(migrations.map(({ name, applied }) => [name, applied ? 'applied' : 'missing'])),
  };
};

const dryRun: Work<object> = async ({ app }) => {
  const missing = (await migrationStatus(app.database.db)).filter(({ applied }) => !applied).map(({ name }) => name);
  return {
    json: { would_apply: missing },
    lines: missing.length > 0 ? missing.map((name) => `would apply ${name}`) : ['Nothing to do.'],
  };
};

const apply: Work<object> = async ({ app }) => {
  const applied = await migrate(app.database.db);
  return {
    json: { applied },
    lines: applied.length > 0 ? applied.map((name) => `applied ${name}`) : ['Nothing to do.'],
  };
};

export const migrateWorks = { 'migrate status': status, 'migrate dry-run': dryRun, migrate: apply };

export function declareMigrate(program: Command, perform: Perform): void {
  leaf(program, 'migrate', 'bring the database up to date')
    .option('--status', 'only list the migrations')
    .option('--dry-run', 'only say what would be done')
    .action(async (options: { status?: boolean; dryRun?: boolean }, command: Command) => {
      const name = options.status ? 'migrate status' : options.dryRun ? 'migrate dry-run' : 'migrate';
      await performs(perform, name, () => ({}))(command);
    });
}
