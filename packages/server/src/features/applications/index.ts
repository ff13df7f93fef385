export {
  type AuthorizationOutcome,
  type AuthorizationParams,
  checkAuthorization,
  completeAuthorization,
  type RequestedAuthorization,
} from './oauth/authorize.ts';
export { isOAuthResponse, readClientCredentials } from './oauth/client-credentials.ts';
export { exchangeTokens, type OAuthForm, type OAuthResponse } from './oauth/exchange.ts';
export { OAUTH_PATHS, presentMetadata } from './oauth/metadata.ts';
export { revokeTokens } from './oauth/revoke.ts';
export { sweepAuthorizations } from './oauth/sweep.ts';
export { describeRedirect, toPolicySource } from './rules.ts';
