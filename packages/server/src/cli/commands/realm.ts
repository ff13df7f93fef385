import type { Command } from 'commander';
import { addCommand, createAction, requiredPassword, type TaskRunner } from './command-options.ts';

const SUBDOMAIN = 'subdomain of the organization; empty for the base domain itself';

export function declareRealm(program: Command, perform: TaskRunner): void {
  const realm = program.command('realm').description('manage organizations');
  addCommand(realm, 'create', 'create an organization and its owner')
    .requiredOption('--subdomain <subdomain>', SUBDOMAIN)
    .requiredOption('--name <name>', 'name of the organization')
    .requiredOption('--owner-email <email>', 'email address of the owner')
    .requiredOption('--owner-name <name>', 'full name of the owner')
    .option('--owner-password <password>', 'password of the owner')
    .option('--owner-password-file <file>', 'file with the password of the owner')
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
    .argument('<subdomain>', SUBDOMAIN)
    .action(createAction(perform, 'realm show', about));
  addCommand(realm, 'set', 'change a setting, as PATCH /realm does')
    .argument('<subdomain>', SUBDOMAIN)
    .argument('<key>', 'parameter of PATCH /realm')
    .argument('<value>', 'JSON, or a string without quotes')
    // A value such as -1 looks like an option.
    .allowUnknownOption()
    .action(createAction(perform, 'realm set', ([subdomain, key, value]) => ({ subdomain, key, value })));
  addCommand(realm, 'deactivate', 'deactivate an organization; its data is not deleted')
    .argument('<subdomain>', SUBDOMAIN)
    .action(createAction(perform, 'realm deactivate', about));
  addCommand(realm, 'reactivate', 'reactivate an organization')
    .argument('<subdomain>', SUBDOMAIN)
    .action(createAction(perform, 'realm reactivate', about));
}
