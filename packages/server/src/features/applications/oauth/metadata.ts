import type { Realm } from '../../../core/context.ts';
import { GRANT_TYPES } from './exchange.ts';

export const OAUTH_PATHS = Object.freeze({
  metadata: '/.well-known/oauth-authorization-server',
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  revoke: '/oauth/revoke',
});

const CLIENT_AUTHENTICATION = ['client_secret_basic', 'client_secret_post', 'none'];

/** The authorization server metadata (RFC 8414). Each organization is an authorization server. */
export const presentMetadata = ({ url }: Pick<Realm, 'url'>) => ({
  issuer: url,
  authorization_endpoint: `${url}${OAUTH_PATHS.authorize}`,
  token_endpoint: `${url}${OAUTH_PATHS.token}`,
  token_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
  revocation_endpoint: `${url}${OAUTH_PATHS.revoke}`,
  revocation_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
  scopes_supported: ['read', 'write', 'admin'],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: GRANT_TYPES,
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
});
