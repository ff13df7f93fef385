/** An invalid setting. The message is one sentence that names it. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}
