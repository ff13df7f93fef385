const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\\.?';
const CLOCK = '\\d{1,2}:\\d{2}(?::\\d{2}(?:\\.\\d{1,9})?)?';
const ISO = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?) ?(Z|UTC|[+-]\d{2}(?::?\d{2})?)?)?$/i;
/** Common formats of users and emails: `Thu, 28 May 2020 13:30:00 +0200`, `May 28, 2020 1:30 PM`. */
const WORDS = new RegExp(
  `^(?:[a-z]{3,9},? )?(?:\\d{1,2} ${MONTH},?|${MONTH} \\d{1,2},?) \\d{4}(?:,? (?:at )?(${CLOCK})(?: ?[ap]m)?)?( (?:Z|UTC|GMT|[+-]\\d{2}:?\\d{2}))?$`,
  'i',
);
/** UNIX time in seconds. */
const SECONDS = /^-?\d{1,11}(?:\.\d{1,9})?$/;
const LONGEST = 100;

/** The time in a text, as `2020-05-28T08:00:00Z`. Without a time zone it is in UTC. */
export function parseUtcTime(text: string): string | undefined {
  const time = text.trim();
  if (time.length > LONGEST) return undefined;
  const ms = SECONDS.test(time) ? Number(time) * 1000 : millisecondsOf(time);
  // Later years have six digits, which few programs parse.
  if (Number.isNaN(ms) || Math.abs(ms) > 8.64e15 || !/^\d{4}-/.test(new Date(ms).toISOString())) return undefined;
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

function millisecondsOf(time: string): number {
  const [, day, clock = '00:00', zone = 'Z'] = ISO.exec(time) ?? [];
  if (day !== undefined) return isDay(day) ? Date.parse(`${day}T${clock}${offsetOf(zone)}`) : Number.NaN;
  const [dateTime, , ownZone] = WORDS.exec(time) ?? [];
  if (dateTime === undefined) return Number.NaN;
  return Date.parse(`${dateTime.replace(/ at /i, ' ')}${ownZone === undefined ? ' UTC' : ''}`);
}

/** Date.parse accepts February 30 as March 1. */
const isDay = (day: string): boolean => {
  const date = new Date(`${day}T00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
};

function offsetOf(zone: string): string {
  if (/^(?:Z|UTC)$/i.test(zone)) return 'Z';
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  return `${zone[0]}${digits.slice(0, 2)}:${digits.slice(2)}`;
}
