import type { Command } from 'commander';
import { readConfig } from '../../config/index.ts';
import { columns } from '../columns.ts';
import { addCommand } from './command-options.ts';

export function declareConfig(program: Command, print: (line: string) => void): void {
  addCommand(program, 'config', 'print the effective configuration with masked secrets').action(
    (options: { json?: boolean }) => {
      const { printed } = readConfig();
      if (options.json) return print(JSON.stringify(printed));
      columns(Object.entries(printed)).forEach(print);
    },
  );
}
