// Helpers to declare commands with.
import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import type { Task } from '../types.ts';

/** Runs a command. `codeFor` maps its result to an exit code, for callers that expect other codes than Parley's. */
export type TaskRunner = (task: Task, codeFor?: (code: number) => number) => Promise<void>;

/** Declares a command that prints text, or JSON with --json. */
export function addCommand(parent: Command, name: string, description: string): Command {
  return parent.command(name).description(description).option('--json', 'print one JSON document on the last line');
}

/** The parameters with which commander calls an action: arguments, options, the command. */
export function createAction(
  perform: TaskRunner,
  name: string,
  read: (args: string[], options: CommandOptions) => object,
) {
  return async (...parameters: unknown[]): Promise<void> => {
    const command = parameters.at(-1) as Command;
    const options = command.opts<CommandOptions>();
    await perform({ name, input: read(command.args, options), json: options.json === true });
  };
}

export type CommandOptions = Record<string, string | number | boolean | readonly string[] | undefined>;

export function parseWholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) throw new InvalidArgumentError('It must be a whole number.');
  return value;
}

export function parseChoice(words: readonly string[]): (text: string) => string {
  return (text) => {
    if (!words.includes(text)) throw new InvalidArgumentError(`It must be one of ${words.join(', ')}.`);
    return text;
  };
}

/** A password given as an option or in a file; the file keeps it out of the list of processes. */
export function password(text: unknown, file: unknown, option: string): string | undefined {
  if (text !== undefined && file !== undefined)
    throw new InvalidArgumentError(`Give --${option} or --${option}-file, not both.`);
  if (typeof file !== 'string') return text as string | undefined;
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new InvalidArgumentError(
      `--${option}-file: ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`,
    );
  }
}

export function requiredPassword(text: unknown, file: unknown, option: string): string {
  const value = password(text, file, option);
  if (value === undefined) throw new InvalidArgumentError(`Give --${option} or --${option}-file.`);
  return value;
}
