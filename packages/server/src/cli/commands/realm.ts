import type { Command } from 'commander';
import { addCommand, createAction, requiredPassword, type TaskRunner } from './command-options.ts';

export function declareRealm(program: Command, perform: TaskRunner): void {
  const realm = program.command('realm').description('organizations');
  addCommand(realm, 'create', 'make an organization and its owner')
    .requiredOption('--subdomain <subdomain>', 'where it answers; empty for the base domain itself')
    .requiredOption('--name <name>', 'what it is called')
    .requiredOption('--owner-email <email>')
    .requiredOption('--owner-name <name>')
    .option('--owner-password <password>')
    .option('--owner-password-file <file>', 'file that holds the password')
    .action(
      createAction(perform, 'realm create', (_, options) => ({
        subdomain: options.subdomain,
        name: options.name,
        owner: {
          email: options.ownerEmail,
          full_name: options.ownerName,
          password: requiredPassword(options.ownerPassword, options.ownerPasswordFile, 'owner-password'),
        },
      })),
    );
  addCommand(realm, 'list', 'list all organizations').action(createAction(perform, 'realm list', () => ({})));
  const about = ([subdomain]: string[]) => ({ subdomain });
  addCommand(realm, 'show', 'show an organization and its settings')
    .argument('<subdomain>')
    .action(createAction(perform, 'realm show', about));
  addCommand(realm, 'set', 'change a setting, as PATCH /realm does')
    .argument('<subdomain>')
    .argument('<key>', 'the name that PATCH /realm has for it')
    .argument('<value>', 'JSON or a bare word')
    // A value such as -1 looks like an option.
    .allowUnknownOption()
    .action(createAction(perform, 'realm set', ([subdomain, key, value]) => ({ subdomain, key, value })));
  addCommand(realm, 'deactivate', 'close an organization; nothing is deleted')
    .argument('<subdomain>')
    .action(createAction(perform, 'realm deactivate', about));
  addCommand(realm, 'reactivate', 'open it again')
    .argument('<subdomain>')
    .action(createAction(perform, 'realm reactivate', about));
}
