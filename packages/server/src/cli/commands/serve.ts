import type { Command } from 'commander';
import type { Print } from '../types.ts';

export function declareServe(program: Command, print: Print): void {
  program
    .command('serve')
    .description('run the server')
    .action(async () => (await import('../serve.ts')).serve());
  program
    .command('dev')
    .description('run the server with a demo organization')
    .action(async () => (await import('../serve.ts')).dev(print));
  program
    .command('work')
    .description('run only the background jobs')
    .action(async () => (await import('../serve.ts')).work());
}
