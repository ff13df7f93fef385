import type { Command } from 'commander';
import { addCommand, createAction, type TaskRunner } from './command-options.ts';

export function declareMigrate(program: Command, perform: TaskRunner): void {
  addCommand(program, 'migrate', 'apply the missing migrations to the database')
    .option('--status', 'list the migrations and apply none')
    .option('--dry-run', 'list the missing migrations and apply none')
    .action(async (options: { status?: boolean; dryRun?: boolean }, command: Command) => {
      const name = options.status ? 'migrate status' : options.dryRun ? 'migrate dry-run' : 'migrate';
      await createAction(perform, name, () => ({}))(command);
    });
}
