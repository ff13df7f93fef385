import type { Command } from 'commander';
import { addCommand, createAction, type TaskRunner } from './command-options.ts';

export function declareRestored(program: Command, perform: TaskRunner): void {
  addCommand(
    program,
    'restored',
    'say that the database was set back in a way that the server cannot notice: all clients start anew',
  ).action(createAction(perform, 'restored', () => ({})));
}
