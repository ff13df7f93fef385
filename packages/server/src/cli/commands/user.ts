import { type Command, InvalidArgumentError } from 'commander';
import {
  addCommand,
  type CommandOptions,
  createAction,
  parseChoice,
  parseWholeNumber,
  password,
  requiredPassword,
  type TaskRunner,
} from './command-options.ts';

export const roleNames = ['owner', 'admin', 'moderator', 'member', 'guest'] as const;
export type RoleName = (typeof roleNames)[number];

export function declareUser(program: Command, perform: TaskRunner): void {
  const user = program.command('user').description('manage users and bots of an organization');
  const of = (name: string, description: string) =>
    addCommand(user, name, description).requiredOption(
      '--realm <subdomain>',
      'the organization; empty for the base domain itself',
    );
  const one = (name: string, description: string) =>
    of(name, description).argument('<id>', 'user id', parseWholeNumber);
  const who = ([id]: string[], { realm }: CommandOptions) => ({ realm, id: Number(id) });
  of('create', 'create an account')
    .requiredOption('--email <email>', 'email address of the account')
    .requiredOption('--name <name>', 'full name of the user')
    .option('--password <password>', 'password of the user')
    .option('--password-file <file>', 'file with the password of the user')
    .option('--role <role>', `role: ${roleNames.join(', ')}`, parseChoice(roleNames), 'member')
    .option('--bot', 'create a bot, which has an owner and no password')
    .option('--bot-owner <id>', 'user id of the owner of the bot', parseWholeNumber)
    .action(createAction(perform, 'user create', (_, options) => newAccount(options)));
  of('list', 'list accounts').action(createAction(perform, 'user list', (_, { realm }) => ({ realm })));
  one('show', 'show an account').action(createAction(perform, 'user show', who));
  one('set-role', 'change the role of an account')
    .argument('<role>', `role: ${roleNames.join(', ')}`, parseChoice(roleNames))
    .action(createAction(perform, 'user set-role', (args, options) => ({ ...who(args, options), role: args[1] })));
  one('deactivate', 'deactivate an account and its bots').action(createAction(perform, 'user deactivate', who));
  one('reactivate', 'reactivate an account').action(createAction(perform, 'user reactivate', who));
  one('reset-password', 'set a new password; without --password, generate one and print it')
    .option('--password <password>', 'password of the user')
    .option('--password-file <file>', 'file with the password of the user')
    .action(
      createAction(perform, 'user reset-password', (args, options) => ({
        ...who(args, options),
        password: password(options.password, options.passwordFile, 'password'),
      })),
    );
  one('rotate-key', 'replace the API key of an account and print the new one').action(
    createAction(perform, 'user rotate-key', who),
  );
  const permissions = ['can_create_users'];
  one('grant', 'grant a permission that only operators can grant')
    .argument('<permission>', `permission: ${permissions.join(', ')}`, parseChoice(permissions))
    .action(createAction(perform, 'user grant', who));
  one('revoke', 'revoke a permission that only operators can grant')
    .argument('<permission>', `permission: ${permissions.join(', ')}`, parseChoice(permissions))
    .action(createAction(perform, 'user revoke', who));
}

function newAccount(options: CommandOptions): object {
  const { realm, email, name, role, bot, botOwner } = options;
  const common = { realm, email, full_name: name, role };
  if (bot !== true && botOwner !== undefined)
    throw new InvalidArgumentError('--bot-owner is for bots: give --bot too.');
  if (bot !== true)
    return { ...common, password: requiredPassword(options.password, options.passwordFile, 'password') };
  if (botOwner === undefined) throw new InvalidArgumentError('A bot needs --bot-owner.');
  if (options.password !== undefined || options.passwordFile !== undefined)
    throw new InvalidArgumentError('A bot has no password.');
  return { ...common, bot_owner: botOwner };
}
