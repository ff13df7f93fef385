import { createRequire } from 'node:module';
import type { RealmSettings } from '../../core/context.ts';
import { lazy } from '../../core/lazy.ts';

const require = createRequire(import.meta.url);
const mailChecker = lazy(() => require('mailchecker') as typeof import('mailchecker'));

type DomainSettings = Pick<RealmSettings, 'emails_restricted_to_domains' | 'disallow_disposable_email_addresses'>;

/**
 * The reason why the organization rejects addresses of this domain, if there is one
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

/** Whether the domain, or one of its parent domains, is known for disposable addresses. */
export function isDisposable(domain: string): boolean {
  const labels = domain.split('.');
  return labels.some((_, index) => mailChecker().blacklist().has(labels.slice(index).join('.')));
}
