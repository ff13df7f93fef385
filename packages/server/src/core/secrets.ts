/** The present secret, and the previous one as long as values made with it stay valid. */
export interface Secrets {
  readonly current: string;
  readonly previous?: string | undefined;
}

/** Every value derived from the secret depends on this as well, so that two databases with one secret share no keys. */
export interface SaltedRealm {
  readonly id: number;
  readonly key_salt: string;
}

/** Under which of the secrets `isMadeWith` holds, the present one first. */
export function findSecret(
  { current, previous }: Secrets,
  isMadeWith: (secret: string) => boolean,
): keyof Secrets | undefined {
  if (isMadeWith(current)) return 'current';
  return previous !== undefined && isMadeWith(previous) ? 'previous' : undefined;
}
