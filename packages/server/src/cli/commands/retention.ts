import type { Command } from 'commander';
import { leaf, performs, type TaskRunner } from './words.ts';

export function declareRetention(program: Command, perform: TaskRunner): void {
  leaf(program, 'retention', 'remove messages that are kept no longer now, instead of within the next minutes')
    .requiredOption('--realm <subdomain>', 'the organization; empty for the base domain itself')
    .option('--dry-run', 'say what would be removed, and remove nothing')
    .action(performs(perform, 'retention', (_, { realm, dryRun }) => ({ subdomain: realm, dry_run: dryRun === true })));
}
