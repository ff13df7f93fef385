import type { Command } from 'commander';
import { addCommand, createAction, type TaskRunner } from './command-options.ts';

export function declareRetention(program: Command, perform: TaskRunner): void {
  addCommand(program, 'retention', 'remove messages that are kept no longer now, instead of within the next minutes')
    .requiredOption('--realm <subdomain>', 'the organization; empty for the base domain itself')
    .option('--dry-run', 'say what would be removed, and remove nothing')
    .action(
      createAction(perform, 'retention', (_, { realm, dryRun }) => ({ subdomain: realm, dry_run: dryRun === true })),
    );
}
