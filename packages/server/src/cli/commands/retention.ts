import type { Command } from 'commander';
import { addCommand, createAction, type TaskRunner } from './command-options.ts';

export function declareRetention(program: Command, perform: TaskRunner): void {
  addCommand(program, 'retention', 'delete expired messages now, instead of within the next minutes')
    .requiredOption('--realm <subdomain>', 'the organization; empty for the base domain itself')
    .option('--dry-run', 'list the expired messages and delete none')
    .action(
      createAction(perform, 'retention', (_, { realm, dryRun }) => ({ subdomain: realm, dry_run: dryRun === true })),
    );
}
