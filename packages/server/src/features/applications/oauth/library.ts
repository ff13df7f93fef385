// The library that knows the protocol (docs/adr/0040). It asks a model for what is stored, and is given one for each request, whose
// functions run in the transaction of the request.
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

/** The library compares times with the clock of the machine. The model has compared them with that of the database before. */
export const UNEXPIRED = new Date(8.64e15);

export const toLibraryClient = ({ id, redirect_uris }: ApplicationRow): LibraryClient => ({
  id: String(id),
  redirectUris: redirect_uris,
  grants: ['authorization_code', 'refresh_token'],
});

/** The library needs no such function of its model here, but looks whether there is one. */
export const getAccessToken = async (): Promise<false> => false;

/** The error of the protocol; rethrows an error of ours or of the database, which the library has wrapped. */
export function requireOAuthError(error: unknown): OAuthError {
  const { OAuthError } = getLibrary();
  if (!(error instanceof OAuthError)) throw error;
  const { inner } = error as { inner?: unknown };
  if (error.name === 'server_error' || inner instanceof ApiError) throw inner ?? error;
  return error;
}
