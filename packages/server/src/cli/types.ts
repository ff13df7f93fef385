import type { App } from '../app.ts';
import type { Config } from '../config/index.ts';

/** A parsed command: a name and plain values, so that a server can run it for the command line. */
export interface Task {
  readonly name: string;
  readonly input: object;
  readonly json: boolean;
}

/** The resources of a command. */
export interface CommandContext {
  readonly app: App;
  readonly config: Config;
}

/** The output of a command, as JSON and as text. */
export interface CommandResult {
  readonly json: unknown;
  readonly lines: readonly string[];
  /** The command succeeded, and what it found is a problem. */
  readonly failed?: boolean;
  /** The exit code of the command, for callers that expect codes of their own. */
  readonly code?: number;
}

export type CommandHandler<Input> = (desk: CommandContext, input: Input) => Promise<CommandResult>;

/** Writes a line to the standard output. */
export type Print = (line: string) => void;
