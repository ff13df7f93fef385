import type { Schema } from '../../core/contract.ts';

type Values = Schema<'UserSettingValues'>;

interface Known {
  has(name: string): boolean;
}

/** The problem of settings whose values the document does not enumerate, if there is one. */
export function valueProblem(
  { default_language, timezone }: Values,
  { languages, timezones }: { languages: Known; timezones: Known },
): string | undefined {
  if (default_language !== undefined && !languages.has(default_language)) {
    return `default_language: there is no language "${default_language}".`;
  }
  // The empty string is the default: no time zone.
  if (timezone !== undefined && timezone !== '' && !timezones.has(timezone)) {
    return `timezone: there is no time zone "${timezone}".`;
  }
  return undefined;
}
