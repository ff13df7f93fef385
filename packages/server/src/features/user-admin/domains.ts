import { createRequire } from 'node:module';
import type { RealmSettings } from '../../core/context.ts';
import { lazy } from '../../core/lazy.ts';

const require = createRequire(import.meta.url);
const mailChecker = lazy(() => require('mailchecker') as typeof import('mailchecker'));

type DomainSettings = Pick<RealmSettings, 'emails_restricted_to_domains' | 'disallow_disposable_email_addresses'>;

/**
 * Why the organization does not take an address of this domain, if it does not
 * (docs/behaviour/users.md#rules-for-emails).
 */
export function domainProblem(email: string, settings: DomainSettings): string | undefined {
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1).toLowerCase();
  if (settings.emails_restricted_to_domains) {
    if (email.slice(0, at).includes('+')) return 'email: an address with a "+" cannot join this organization.';
    return `email: addresses of ${domain} cannot join this organization.`;
  }
  if (settings.disallow_disposable_email_addresses && isDisposable(domain)) {
    return 'email: throw-away addresses cannot join this organization.';
  }
  return undefined;
}

/** Whether the domain, or one that it is part of, is known for throw-away addresses. */
export function isDisposable(domain: string): boolean {
  const labels = domain.split('.');
  return labels.some((_, index) => mailChecker().blacklist().has(labels.slice(index).join('.')));
}
