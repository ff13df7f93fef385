import type { Schema } from '../../core/contract.ts';

/** The services whose accounts a custom profile field can show without a URL pattern, by the subtype of the field. */
export const externalAccounts = Object.freeze({
  github: {
    name: 'GitHub username',
    text: 'GitHub',
    hint: 'Enter your GitHub username',
    url_pattern: 'https://github.com/%(username)s',
  },
  twitter: {
    name: 'Twitter username',
    text: 'Twitter',
    hint: 'Enter your Twitter username, without the "@"',
    url_pattern: 'https://twitter.com/%(username)s',
  },
}) satisfies Schema<'State'>['realm_default_external_accounts'];
