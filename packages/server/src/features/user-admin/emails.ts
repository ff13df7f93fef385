import type { Realm, User } from '../../core/context.ts';

/** To whose account was deactivated, with what the administrator had to say. */
export const renderDeactivatedEmail = (
  realm: Realm,
  person: User,
  comment: string,
): { subject: string; text: string } => ({
  subject: `Your account at ${realm.settings.name} was deactivated`,
  text: [
    `Hello ${person.full_name},`,
    `an administrator has deactivated your account at ${realm.settings.name} (${realm.url}). They wrote:`,
    comment,
    'An administrator can reactivate the account.\n',
  ].join('\n\n'),
});
