const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** The age at which an email is no longer useful: the links in it have expired. */
const LIFETIME = 24 * HOUR;

/** When an email is retried after so many attempts; undefined when it is too old for that. */
export function getNextAttempt(attempts: number, created_at: Date, now: Date): Date | undefined {
  const next = new Date(now.getTime() + Math.min(HOUR, MINUTE * 2 ** (attempts - 1)));
  return next.getTime() - created_at.getTime() <= LIFETIME ? next : undefined;
}
