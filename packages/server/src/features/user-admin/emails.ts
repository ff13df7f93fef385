import type { Realm, User } from '../../core/context.ts';

/** The email to the user of a deactivated account, with the administrator's comment. */
export const renderDeactivatedEmail = (
  realm: Realm,
  user: User,
  comment: string,
): { subject: string; text: string } => ({
  subject: `Your account at ${realm.settings.name} was deactivated`,
  text: [
    `Hello ${user.full_name},`,
    `an administrator has deactivated your account at ${realm.settings.name} (${realm.url}). Their comment:`,
    comment,
    'An administrator can reactivate the account.\n',
  ].join('\n\n'),
});
