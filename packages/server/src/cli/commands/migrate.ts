import type { Command } from 'commander';
import { addCommand, createAction, type TaskRunner } from './command-options.ts';

export function declareMigrate(program: Command, perform: TaskRunner): void {
  addCommand(program, 'migrate', 'bring the database up to date')
    .option('--status', 'only list the migrations')
    .option('--dry-run', 'only say what would be done')
    .action(async (options: { status?: boolean; dryRun?: boolean }, command: Command) => {
      const name = options.status ? 'migrate status' : options.dryRun ? 'migrate dry-run' : 'migrate';
      await createAction(perform, name, () => ({}))(command);
    });
}
