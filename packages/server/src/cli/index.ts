import { Command, CommanderError } from 'commander';
import { ConfigError, readConfig } from '../config/index.ts';
import { VERSION } from '../core/version.ts';
import type { TaskRunner } from './commands/command-options.ts';
import { declareConfig } from './commands/config.ts';
import { declareDeliverMail } from './commands/deliver-mail.ts';
import { declareDoctor } from './commands/doctor.ts';
import { declareMigrate } from './commands/migrate.ts';
import { declarePopulate } from './commands/populate.ts';
import { declareRealm } from './commands/realm.ts';
import { declareRestored } from './commands/restored.ts';
import { declareRetention } from './commands/retention.ts';
import { declareSecret } from './commands/secret.ts';
import { declareServe } from './commands/serve.ts';
import { declareToken } from './commands/token.ts';
import { declareUser } from './commands/user.ts';

const print = (line: string) => void process.stdout.write(`${line}\n`);
const complain = (line: string) => void process.stderr.write(`${line}\n`);

/** Runs the command line and returns its exit code: 0, 1 failed, 2 usage or configuration. */
export async function main(words: readonly string[]): Promise<number> {
  let code = 0;
  let ending = (exitCode: number) => exitCode;
  const perform: TaskRunner = async (task, codeFor = ending) => {
    ending = codeFor;
    // Each command is loaded when it runs: a short command spends most of its time on loading code.
    const { dispatchTask } = await import('./dispatch-task.ts');
    const outcome = await dispatchTask(readConfig(), task);
    outcome.stdout.forEach(print);
    outcome.stderr.forEach(complain);
    code = ending(outcome.code);
  };
  try {
    await declare(perform).parseAsync(words, { from: 'user' });
    return code;
  } catch (error) {
    return ending(await explain(error));
  }
}

function declare(perform: TaskRunner): Command {
  const program = new Command('parley')
    .description('A team messaging server. Settings come from the environment: parley config shows them.')
    .version(VERSION)
    .exitOverride()
    .configureOutput({ outputError: () => {} });
  declareServe(program, print);
  declareMigrate(program, perform);
  declareDoctor(program, perform);
  declareConfig(program, print);
  declareSecret(program, perform);
  declareRestored(program, perform);
  declareRealm(program, perform);
  declareUser(program, perform);
  declareToken(program, perform);
  declareRetention(program, perform);
  declareDeliverMail(program, perform);
  declarePopulate(program, perform);
  return program;
}

async function explain(error: unknown): Promise<number> {
  if (error instanceof CommanderError) return usage(error);
  if (error instanceof ConfigError) {
    complain(error.message);
    return 2;
  }
  const { explainError } = await import('./explain-error.ts');
  complain(explainError(error));
  return 1;
}

/** A request for help is not an error. */
function usage({ code, message }: CommanderError): number {
  if (code === 'commander.helpDisplayed' || code === 'commander.version') return 0;
  if (code === 'commander.help') return 2;
  complain(`${message.replace(/^error: /, '')}`);
  return 2;
}
