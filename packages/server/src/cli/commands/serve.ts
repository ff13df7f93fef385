import type { Command } from 'commander';
import type { Print } from '../types.ts';
import { parseWholeNumber } from './command-options.ts';

export function declareServe(program: Command, print: Print): void {
  program
    .command('serve')
    .description('run the server')
    .option(
      '--processes <number>',
      'number of processes that share the port; overrides PARLEY_PROCESSES',
      parseWholeNumber,
    )
    .action(async ({ processes }: { processes?: number }) => (await import('../serve.ts')).serve(processes));
  program
    .command('dev')
    .description('run the server with a demo organization')
    .action(async () => (await import('../serve.ts')).dev(print));
  program
    .command('work')
    .description('run only the background jobs')
    .action(async () => (await import('../serve.ts')).work());
}
