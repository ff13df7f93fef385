import type { Realm } from '../../core/context.ts';
import type { RealmRow } from './queries/realms.ts';
import { toRealmSettings } from './settings.ts';

/** The address of this server, and what its operator allows. */
export interface ServerAddress {
  readonly base_domain: string;
  readonly port: number | undefined;
  readonly scheme: 'http' | 'https';
  readonly web_public_streams_enabled: boolean;
}

export function presentRealm(serverAddress: ServerAddress, row: RealmRow): Realm {
  const host = row.subdomain === '' ? serverAddress.base_domain : `${row.subdomain}.${serverAddress.base_domain}`;
  return {
    id: row.id,
    subdomain: row.subdomain,
    key_salt: row.key_salt,
    host,
    url: toUrl(serverAddress, host),
    created_at: row.created_at,
    deactivated: row.deactivated_at !== null,
    settings: toRealmSettings(row.overrides),
    limits_guests: row.limits_guests,
    has_linkifiers: row.has_linkifiers,
    last_event_id: row.last_event_id,
    web_public_streams_enabled: serverAddress.web_public_streams_enabled,
  };
}

/** The URL of a host of this server, without a slash at its end. */
export const toUrl = ({ scheme, port }: ServerAddress, host: string): string =>
  `${scheme}://${host}${port === undefined ? '' : `:${port}`}`;

/**
 * The subdomain in a Host header: empty for the base domain itself, undefined for a host that does not belong to this
 * server.
 */
export function parseSubdomain(host: string | undefined, base_domain: string): string | undefined {
  const name = (host ?? '').toLowerCase().replace(/:\d*$/, '');
  if (name === base_domain) return '';
  return name.endsWith(`.${base_domain}`) ? name.slice(0, -base_domain.length - 1) : undefined;
}
