import type { Command } from 'commander';
import { addCommand, createAction, type TaskRunner } from './command-options.ts';

export function declareSecret(program: Command, perform: TaskRunner): void {
  const secret = program.command('secret').description('the secret that API keys derive from');
  addCommand(
    secret,
    'accept',
    'use the secret that is set now, when the one before it is lost: every API key ends',
  ).action(createAction(perform, 'secret accept', () => ({})));
}
