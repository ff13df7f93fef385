export type { DirectorySettings, IdentitySettings, OidcSettings, SamlSettings } from './identity.ts';
export { ConfigError } from './problem.ts';
export { type Config, isRunByNpm, readConfig } from './read.ts';
export { loadSecret } from './secret.ts';
export { type Mail, MOST_PROCESSES, type RateRules, type Rule, type RuleName } from './values.ts';
export { variableNames, variableTable } from './variables.ts';
