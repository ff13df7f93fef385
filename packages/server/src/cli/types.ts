import type { App } from '../app.ts';
import type { Config } from '../config/index.ts';

/** A command once its words are read: a name and plain values, so that a server can run it for the command line. */
export interface Task {
  readonly name: string;
  readonly input: object;
  readonly json: boolean;
}

/** What a command works with. */
export interface CommandContext {
  readonly app: App;
  readonly config: Config;
}

/** What a command has to say, to programs and to people. */
export interface CommandResult {
  readonly json: unknown;
  readonly lines: readonly string[];
  /** The command worked, and what it found is not well. */
  readonly failed?: boolean;
  /** How the command ends, for whoever expects a code of its own. */
  readonly code?: number;
}

export type CommandHandler<Input> = (desk: CommandContext, input: Input) => Promise<CommandResult>;

/** Writes a line to the standard output. */
export type Print = (line: string) => void;
