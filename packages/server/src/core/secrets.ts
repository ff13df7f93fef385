/** The secret in use, and the one before it as long as what was made with it stays valid. */
export interface Secrets {
  readonly current: string;
  readonly previous?: string | undefined;
}

/** What everything derived from the secret depends on as well, so that two databases with one secret have no key in common. */
export interface SaltedRealm {
  readonly id: number;
  readonly key_salt: string;
}

/** Under which secret `isMadeWith` holds, the one in use first. */
export function findSecret(
  { current, previous }: Secrets,
  isMadeWith: (secret: string) => boolean,
): keyof Secrets | undefined {
  if (isMadeWith(current)) return 'current';
  return previous !== undefined && isMadeWith(previous) ? 'previous' : undefined;
}
