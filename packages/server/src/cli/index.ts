import { DirectoryInUse } from '@parley/db';
import { Command, CommanderError } from 'commander';
import { ConfigError, readConfig } from '../config/index.ts';
import { VERSION } from '../core/version.ts';
import { StartError } from '../main.ts';
import { declareConfig } from './config.ts';
import { declareDeliverMail } from './deliver-mail.ts';
import { declareDoctor } from './doctor.ts';
import { declareMigrate } from './migrate.ts';
import { performTask } from './perform.ts';
import { declarePopulate } from './populate/index.ts';
import { declareRealm } from './realm.ts';
import { declareRetention } from './retention.ts';
import { declareServe } from './serve.ts';
import { declareUser } from './user.ts';
import type { Perform } from './words.ts';

const print = (line: string) => void process.stdout.write(`${line}\n`);
const complain = (line: string) => void process.stderr.write(`${line}\n`);

/** Runs the command line and gives its exit code: 0, 1 refused, 2 usage or configuration. */
export async function main(words: readonly string[]): Promise<number> {
  let code = 0;
  let ending = (given: number) => given;
  const perform: Perform = async (task, codeFor = ending) => {
    ending = codeFor;
    const outcome = await performTask(readConfig(), task);
    outcome.stdout.forEach(print);
    outcome.stderr.forEach(complain);
    code = ending(outcome.code);
  };
  try {
    await declare(perform).parseAsync(words, { from: 'user' });
    return code;
  } catch (error) {
    return ending(explain(error));
  }
}

function declare(perform: Perform): Command {
  const program = new Command('parley')
    .description('A team messaging server. Settings come from the environment: parley config shows them.')
    .version(VERSION)
    .exitOverride()
    .configureOutput({ outputError: () => {} });
  declareServe(program, print);
  declareMigrate(program, perform);
  declareDoctor(program, perform);
  declareConfig(program, print);
  declareRealm(program, perform);
  declareUser(program, perform);
  declareRetention(program, perform);
  declareDeliverMail(program, perform);
  declarePopulate(program, perform);
  return program;
}

function explain(error: unknown): number {
  if (error instanceof CommanderError) return usage(error);
  if (error instanceof ConfigError) {
    complain(error.message);
    return 2;
  }
  if (error instanceof DirectoryInUse) {
    complain(`${error.message} Stop it first, or set DATABASE_URL: PostgreSQL serves any number of processes.`);
    return 1;
  }
  if (error instanceof StartError) {
    complain(error.message);
    return 1;
  }
  complain(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return 1;
}

/** Help that was asked for is no mistake. */
function usage({ code, message }: CommanderError): number {
  if (code === 'commander.helpDisplayed' || code === 'commander.version') return 0;
  if (code === 'commander.help') return 2;
  complain(`${message.replace(/^error: /, '')}`);
  return 2;
}
