import type { Command } from 'commander';
import { leaf, performs, requiredPassword, type TaskRunner } from './words.ts';

export function declareRealm(program: Command, perform: TaskRunner): void {
  const realm = program.command('realm').description('organizations');
  leaf(realm, 'create', 'make an organization and its owner')
    .requiredOption('--subdomain <subdomain>', 'where it answers; empty for the base domain itself')
    .requiredOption('--name <name>', 'what it is called')
    .requiredOption('--owner-email <email>')
    .requiredOption('--owner-name <name>')
    .option('--owner-password <password>')
    .option('--owner-password-file <file>', 'file that holds the password')
    .action(
      performs(perform, 'realm create', (_, options) => ({
        subdomain: options.subdomain,
        name: options.name,
        owner: {
          email: options.ownerEmail,
          full_name: options.ownerName,
          password: requiredPassword(options.ownerPassword, options.ownerPasswordFile, 'owner-password'),
        },
      })),
    );
  leaf(realm, 'list', 'list all organizations').action(performs(perform, 'realm list', () => ({})));
  const about = ([subdomain]: string[]) => ({ subdomain });
  leaf(realm, 'show', 'show an organization and its settings')
    .argument('<subdomain>')
    .action(performs(perform, 'realm show', about));
  leaf(realm, 'set', 'change a setting, as PATCH /realm does')
    .argument('<subdomain>')
    .argument('<key>', 'the name that PATCH /realm has for it')
    .argument('<value>', 'JSON or a bare word')
    // A value such as -1 looks like an option.
    .allowUnknownOption()
    .action(performs(perform, 'realm set', ([subdomain, key, value]) => ({ subdomain, key, value })));
  leaf(realm, 'deactivate', 'close an organization; nothing is deleted')
    .argument('<subdomain>')
    .action(performs(perform, 'realm deactivate', about));
  leaf(realm, 'reactivate', 'open it again')
    .argument('<subdomain>')
    .action(performs(perform, 'realm reactivate', about));
}
