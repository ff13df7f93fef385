import type { Command } from 'commander';
import { leaf, performs, type TaskRunner } from './words.ts';

export function declareDoctor(program: Command, perform: TaskRunner): void {
  leaf(program, 'doctor', 'check configuration, database, migrations, clock, mail and what people log in with').action(
    performs(perform, 'doctor', () => ({})),
  );
}
