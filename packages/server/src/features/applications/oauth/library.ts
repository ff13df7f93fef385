// The library that implements the protocol (docs/adr/0040). It reads and writes through a model. Each request has a
// model of its own, whose functions run in the transaction of the request.
import { createRequire } from 'node:module';
import { ApiError } from '../../../core/errors.ts';
import { loadOnFirstUse } from '../../../core/lazy.ts';
import type { ApplicationRow } from '../queries.ts';

type Library = typeof import('@node-oauth/oauth2-server');
export type OAuthError = InstanceType<Library['OAuthError']>;
export type LibraryClient = import('@node-oauth/oauth2-server').Client;
export type LibraryCode = import('@node-oauth/oauth2-server').AuthorizationCode;
export type LibraryToken = import('@node-oauth/oauth2-server').Token;
export type AuthorizationCodeModel = import('@node-oauth/oauth2-server').AuthorizationCodeModel;
export type RefreshTokenModel = import('@node-oauth/oauth2-server').RefreshTokenModel;

const require = createRequire(import.meta.url);
export const getLibrary = loadOnFirstUse(() => require('@node-oauth/oauth2-server') as Library);

/**
 * The library compares times with the clock of the machine. The model has already compared them with the clock of the
 * database.
 */
export const UNEXPIRED = new Date(8.64e15);

export const toLibraryClient = ({ id, redirect_uris }: ApplicationRow): LibraryClient => ({
  id: String(id),
  redirectUris: redirect_uris,
  grants: ['authorization_code', 'refresh_token'],
});

/** The library never calls this function of the model here, but checks that it exists. */
export const getAccessToken = async (): Promise<false> => false;

/** Returns the error of the protocol. Rethrows an error of the server or the database that the library has wrapped. */
export function requireOAuthError(error: unknown): OAuthError {
  const { OAuthError } = getLibrary();
  if (!(error instanceof OAuthError)) throw error;
  const { inner } = error as { inner?: unknown };
  if (error.name === 'server_error' || inner instanceof ApiError) throw inner ?? error;
  return error;
}
