import type { Command } from 'commander';
import { addCommand, createAction, type TaskRunner } from './command-options.ts';

export function declareDoctor(program: Command, perform: TaskRunner): void {
  addCommand(
    program,
    'doctor',
    'check configuration, database, migrations, clock, mail server and identity providers',
  ).action(createAction(perform, 'doctor', () => ({})));
}
