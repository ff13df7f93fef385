import type { Command } from 'commander';
import { leaf, performs, type TaskRunner } from './words.ts';

export function declareRestored(program: Command, perform: TaskRunner): void {
  leaf(
    program,
    'restored',
    'say that the database was set back in a way that the server cannot notice: all clients start anew',
  ).action(performs(perform, 'restored', () => ({})));
}
