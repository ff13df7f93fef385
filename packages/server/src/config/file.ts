import { readFileSync } from 'node:fs';
import { ConfigError } from './problem.ts';

/** Reads the file that a variable names. */
export function readText(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new ConfigError(`${name}: ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}
