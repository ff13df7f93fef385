export { collectionLimitTable } from './collection-limit-table.ts';
export type { DirectorySettings, IdentitySettings, OidcSettings, SamlSettings } from './identity.ts';
export { ConfigError } from './problem.ts';
export { type Config, isRunByNpm, readConfig } from './read.ts';
export { requestLimitTable } from './request-limit-table.ts';
export { loadSecret } from './secret.ts';
export type { Mail, RateRules, Rule, RuleName } from './values.ts';
export { variableNames, variableTable } from './variables.ts';
