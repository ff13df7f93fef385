import type { Realm, User } from '../../core/context.ts';
import type { IdentityDirectory, IdentityProvider, IdentityServices, VerifiedIdentity } from '../../core/identity.ts';
import { isForbiddenInFullNames } from '../../text/names.ts';

// One @, text on both sides, no white space, control characters or brackets.
const EMAIL = /^[^\s@\p{Cc}:,;<>"()[\]\\]{1,64}@[^\s@\p{Cc}:,;<>"()[\]\\]{1,255}$/u;

/** Whether a user name can be an email address at all. */
export const isEmail = (username: string): boolean => EMAIL.test(username);

export interface LoginMethods {
  readonly [method: string]: boolean;
}

/** Whether users log in with the names of a directory, which need not be email addresses. */
export const hasDirectory = (methods: LoginMethods): boolean => methods.LDAP === true;

/** Whether users log in with email and password. */
export const hasPasswords = (methods: LoginMethods): boolean => methods.Email === true;

export const isHuman = (user: Pick<User, 'bot_type'>): boolean => user.bot_type === null;

type LoginRealm = Pick<Realm, 'subdomain' | 'settings'>;
const isFor = (
  { organizations }: { organizations: readonly string[] | undefined },
  { subdomain }: LoginRealm,
): boolean => organizations === undefined || organizations.includes(subdomain);

/** The directory that checks passwords, if the organization enabled it and the operator configured one for it. */
export function getDirectoryFor({ directory }: IdentityServices, realm: LoginRealm): IdentityDirectory | undefined {
  return directory && hasDirectory(realm.settings.authentication_methods) && isFor(directory, realm)
    ? directory
    : undefined;
}

/**
 * The identity providers that users can log in with, in the operator's order: those whose method the organization has
 * enabled.
 */
export function listProvidersFor({ providers }: IdentityServices, realm: LoginRealm): readonly IdentityProvider[] {
  const methods: LoginMethods = realm.settings.authentication_methods;
  return providers.filter((provider) => methods[provider.method] === true && isFor(provider, realm));
}

/**
 * The Kelvin sign has the lower case `k`: an address verified with it must not count as the address with the letter.
 */
export const isOneAddress = (email: string): boolean => isEmail(email) && !email.includes('\u212a');

/**
 * Candidates for the full name of a new user, best first: the name from the provider, and the local part of the
 * address.
 */
export function listNameCandidates({ email, full_name = '' }: VerifiedIdentity): string[] {
  const plain = (text: string) =>
    [...text.normalize('NFC')]
      .filter((character) => !isForbiddenInFullNames(character) && !/[\p{Cc}\p{Cs}]/u.test(character))
      .slice(0, 100)
      .join('')
      .trim();
  return [plain(full_name), plain(email.slice(0, email.lastIndexOf('@')))];
}

/** Whether a string can be the one-time pad of a client: as long as a key, in hexadecimal digits. */
export const isOneTimePad = (text: string): boolean => /^[0-9a-f]{64}$/i.test(text);

/** Encrypts a key with a one-time pad: each byte XOR a byte of the pad. */
export function encryptWithPad(key: string, otp: string): string {
  const pad = Buffer.from(otp, 'hex');
  return Buffer.from([...Buffer.from(key, 'latin1')].map((byte, index) => byte ^ (pad[index] ?? 0))).toString('hex');
}
