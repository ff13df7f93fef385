import type { Schema } from '../../core/contract.ts';

type Values = Schema<'UserSettingValues'>;

interface Known {
  has(name: string): boolean;
}

/** What is wrong with settings whose values the document does not list, if anything is. */
export function valueProblem(
  { default_language, timezone }: Values,
  { languages, timezones }: { languages: Known; timezones: Known },
): string | undefined {
  if (default_language !== undefined && !languages.has(default_language)) {
    return `default_language: there is no language "${default_language}".`;
  }
  // Empty is the default: none.
  if (timezone !== undefined && timezone !== '' && !timezones.has(timezone)) {
    return `timezone: there is no time zone "${timezone}".`;
  }
  return undefined;
}
