// External authentication: a directory that checks passwords, and providers of single sign-on.

/** A user as an external service has verified them. */
export interface VerifiedIdentity {
  readonly email: string;
  readonly full_name: string | undefined;
}

/** A user of a directory. */
export interface DirectoryEntry extends VerifiedIdentity {
  /** The canonical name of the user, however the user name was typed. */
  readonly dn: string;
}

/** The name of the provider's authentication method in an organization's settings. */
export type ProviderMethod = 'OpenID Connect' | 'Google' | 'GitLab' | 'SAML';

interface ForSome {
  /** Subdomains of the organizations that can use it; undefined: all. */
  readonly organizations: readonly string[] | undefined;
}

/** A directory that verifies passwords. All methods fail with `IdentityServiceUnavailable` when it does not respond. */
export interface IdentityDirectory extends ForSome {
  /** The one user of this user name. */
  find(username: string): Promise<DirectoryEntry | undefined>;
  verifyPassword(entry: DirectoryEntry, password: string): Promise<boolean>;
  /** Fails with the problem if the directory cannot be used with its configuration. */
  check(): Promise<void>;
}

/** The callback URL of a provider, and the URL of the metadata for it. */
export interface CallbackUrls {
  readonly callback: string;
  readonly metadata: string;
}

/** What the server stores while the user is at the provider. It is secret. */
export type SignInState = Readonly<Record<string, string>>;

export interface IdentityProvider extends ForSome {
  readonly kind: 'oidc' | 'saml';
  readonly id: string;
  readonly method: ProviderMethod;
  readonly name: string;
  readonly icon: string | null;
  /** Where to redirect a browser, and what to store until the callback with the same `state`. */
  begin(back: CallbackUrls, state: string): Promise<{ url: string; remembered: SignInState }>;
  /** The verified user. Fails with `AuthenticationFailed` when the callback is not valid. */
  verify(
    back: CallbackUrls,
    state: string,
    remembered: SignInState,
    callbackParams: URLSearchParams,
  ): Promise<VerifiedIdentity>;
  /** The metadata of this server for the provider, if it reads that. */
  metadata?(back: CallbackUrls): string;
  check(): Promise<void>;
}

export interface IdentityServices {
  readonly directory: IdentityDirectory | undefined;
  readonly providers: readonly IdentityProvider[];
}

export interface ExternalAuthentication {
  /** Other services that authenticate users. */
  readonly identity: IdentityServices;
}

/** A service does not respond, or not as expected: no user can be verified now. */
export class IdentityServiceUnavailable extends Error {
  override name = 'IdentityServiceUnavailable';
}

/** The callback verifies no user. The message is for the log. */
export class AuthenticationFailed extends Error {
  override name = 'AuthenticationFailed';
  constructor(
    /** The user cancelled, the address was not verified, or the callback is invalid. */
    readonly why: 'unverified' | 'canceled' | 'no proof',
    message: string,
  ) {
    super(message);
  }
}
