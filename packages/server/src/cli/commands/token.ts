import { type Command, InvalidArgumentError } from 'commander';
import {
  addCommand,
  type CommandOptions,
  createAction,
  parseChoice,
  parseWholeNumber,
  type TaskRunner,
} from './command-options.ts';

const scopes = ['read', 'write', 'admin'];

export function declareToken(program: Command, perform: TaskRunner): void {
  const token = program.command('token').description('manage tokens, with which applications act as a user');
  const of = (name: string, description: string) =>
    addCommand(token, name, description).requiredOption(
      '--realm <subdomain>',
      'the organization; empty for the base domain itself',
    );
  const ofUser = (name: string, description: string) =>
    of(name, description)
      .option('--user <id>', 'user id of the account', parseWholeNumber)
      .option('--email <email>', 'email address of the account, instead of its id');
  ofUser('create', 'create a token and print its secret, which cannot be printed again')
    .requiredOption('--name <name>', 'name of the token')
    .requiredOption(
      '--scope <scope>',
      `scope of the token: ${scopes.join(', ')}; can be repeated`,
      collect(parseChoice(scopes)),
    )
    .option(
      '--expires-in <duration>',
      'lifetime such as 90d, 12h, 30m or 45s; without it the token does not expire',
      parseDuration,
    )
    .option('--stream <id>', 'id of the only stream that the token can access', parseWholeNumber)
    .option(
      '--event-type <type>',
      'the only type of events that the token can read; can be repeated',
      collect((type) => type),
    )
    .action(
      createAction(perform, 'token create', (_, { name, scope, expiresIn, stream, eventType, ...options }) => ({
        ...accountOf(options),
        params: withoutUndefined({
          name,
          scopes: scope,
          lifespan_secs: expiresIn,
          stream_id: stream,
          event_types: eventType,
        }),
      })),
    );
  ofUser('list', 'list the tokens of an account with the time of their last use').action(
    createAction(perform, 'token list', (_, options) => accountOf(options)),
  );
  of('revoke', 'revoke a token and delete its event queues')
    .argument('<id>', 'id of the token', parseWholeNumber)
    .action(createAction(perform, 'token revoke', ([id], { realm }) => ({ realm, id: Number(id) })));
}

function accountOf({ realm, user, email }: CommandOptions): object {
  if ((user === undefined) === (email === undefined)) throw new InvalidArgumentError('Give either --user or --email.');
  return { realm, user_id: user, email };
}

/** Omits undefined fields: the validation of parameters would take them for values. */
const withoutUndefined = (params: CommandOptions): CommandOptions =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));

/** An option that can be repeated. */
function collect(parse: (text: string) => string): (text: string, before?: readonly string[]) => string[] {
  return (text, before = []) => [...before, parse(text)];
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Seconds. */
function parseDuration(text: string): number {
  const [, number = '', unit = ''] = /^([1-9]\d{0,9})([smhd])$/.exec(text) ?? [];
  const seconds = SECONDS[unit];
  if (seconds === undefined)
    throw new InvalidArgumentError('It must be a number and a unit: s, m, h or d, such as 90d.');
  return Number(number) * seconds;
}
