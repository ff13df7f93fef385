import type { Command } from 'commander';
import { leaf, performs, type TaskRunner } from './words.ts';

export function declareSecret(program: Command, perform: TaskRunner): void {
  const secret = program.command('secret').description('the secret that API keys derive from');
  leaf(secret, 'accept', 'use the secret that is set now, when the one before it is lost: every API key ends').action(
    performs(perform, 'secret accept', () => ({})),
  );
}
