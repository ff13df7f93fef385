import type { Command } from 'commander';
import { addCommand, createAction, type TaskRunner } from './command-options.ts';

export function declareSecret(program: Command, perform: TaskRunner): void {
  const secret = program.command('secret').description('manage the secret that API keys derive from');
  addCommand(
    secret,
    'accept',
    'accept the configured secret after the previous one was lost; all API keys become invalid',
  ).action(createAction(perform, 'secret accept', () => ({})));
}
