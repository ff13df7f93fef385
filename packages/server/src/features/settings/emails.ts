import type { Realm, User } from '../../core/context.ts';

interface Text {
  subject: string;
  text: string;
}

const inHours = 24;

/** The email to the new address: its reader proves to own the address. */
export function renderConfirmationEmail(realm: Realm, me: User, new_email: string, link: string): Text {
  return {
    subject: `Confirm your new email address for ${realm.settings.name}`,
    text: [
      `Hello ${me.full_name},`,
      `the email address of your account at ${realm.settings.name} (${realm.url}) will change to ${new_email}.`,
      `To confirm the change, open the link within ${inHours} hours:`,
      link,
      'If you did not request this change, ignore this email: without your confirmation the address does not change.\n',
    ].join('\n\n'),
  };
}

/** The email to the old address: a user whose account was taken over learns it here. */
export function renderAddressChangedEmail(realm: Realm, before: User, new_email: string): Text {
  return {
    subject: `Your email address for ${realm.settings.name} was changed`,
    text: [
      `Hello ${before.full_name},`,
      `your account at ${realm.settings.name} (${realm.url}) now has the email address ${new_email}.`,
      `Log in with it from now on. If you did not request this change, contact an administrator of the organization.\n`,
    ].join('\n\n'),
  };
}
