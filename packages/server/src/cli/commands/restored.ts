import type { Command } from 'commander';
import { addCommand, createAction, type TaskRunner } from './command-options.ts';

export function declareRestored(program: Command, perform: TaskRunner): void {
  addCommand(
    program,
    'restored',
    'declare that the database was restored in a way that the server cannot detect: all clients register again',
  ).action(createAction(perform, 'restored', () => ({})));
}
