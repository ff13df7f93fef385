import type { Command } from 'commander';
import { leaf, type Perform, performs } from './words.ts';

export function declareDoctor(program: Command, perform: Perform): void {
  leaf(program, 'doctor', 'check configuration, database, migrations, clock, mail and what people log in with').action(
    performs(perform, 'doctor', () => ({})),
  );
}
