// External authentication: a directory that checks passwords, and providers of single sign-on.

/** A user as a trusted service has verified them. */
export interface VerifiedIdentity {
  readonly email: string;
  readonly full_name: string | undefined;
}

/** A user of a directory. */
export interface DirectoryEntry extends VerifiedIdentity {
  /** The one spelling of who it is, however the user name was typed. */
  readonly dn: string;
}

/** What an organization's setting is called that switches a provider on. */
export type ProviderMethod = 'OpenID Connect' | 'Google' | 'GitLab' | 'SAML';

interface ForSome {
  /** Subdomains of the organizations that it is for; undefined: all. */
  readonly organizations: readonly string[] | undefined;
}

/** A directory that knows people's passwords. Everything asked of it fails with `Unavailable` when it does not answer. */
export interface IdentityDirectory extends ForSome {
  /** The one person of this user name. */
  find(username: string): Promise<DirectoryEntry | undefined>;
  verifyPassword(entry: DirectoryEntry, password: string): Promise<boolean>;
  /** Fails with what is wrong when the directory cannot be used as it is set up. */
  check(): Promise<void>;
}

/** Where a provider's answers go, and what its metadata is called. */
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
  /** Where to send a browser, and what to remember until it is back with the same `state`. */
  begin(back: CallbackUrls, state: string): Promise<{ url: string; remembered: SignInState }>;
  /** The verified user. Fails with `AuthenticationFailed` when the callback is not valid. */
  verify(back: CallbackUrls, state: string, remembered: SignInState, given: URLSearchParams): Promise<VerifiedIdentity>;
  /** What the provider wants to know of this server, where it reads that. */
  metadata?(back: CallbackUrls): string;
  check(): Promise<void>;
}

export interface IdentityServices {
  readonly directory: IdentityDirectory | undefined;
  readonly providers: readonly IdentityProvider[];
}

export interface ExternalAuthentication {
  /** Where else people prove who they are. */
  readonly identity: IdentityServices;
}

/** A service does not respond, or not as expected: no user can be verified now. */
export class IdentityServiceUnavailable extends Error {
  override name = 'Unavailable';
}

/** The callback verifies no user. The message is for the log. */
export class AuthenticationFailed extends Error {
  override name = 'Unproven';
  constructor(
    /** Whether the address was not confirmed, or the person did not go through with it; else the proof is not good. */
    readonly why: 'unverified' | 'given up' | 'no proof',
    message: string,
  ) {
    super(message);
  }
}
