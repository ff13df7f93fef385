// The secret from which API keys and tokens are derived: set by the operator, or generated and stored beside the
// embedded database.
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, linkSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { readText } from './file.ts';
import { ConfigError } from './problem.ts';
import { SECRET_RULE, secretText } from './values.ts';

export function findConfiguredSecret(
  text: string | undefined,
  file: string | undefined,
  required: boolean,
): string | undefined {
  if (text !== undefined && file !== undefined)
    throw new ConfigError('PARLEY_SECRET and PARLEY_SECRET_FILE are both set; set one of them.');
  if (file !== undefined) return readSecret('PARLEY_SECRET_FILE', file);
  if (text === undefined && required) {
    throw new ConfigError(`PARLEY_SECRET must be set with DATABASE_URL: ${SECRET_RULE}, the same for every process.`);
  }
  return text;
}

function readSecret(name: string, file: string): string {
  const text = readText(name, file);
  if (!secretText(text)) throw new ConfigError(`${name}: ${file} must hold ${SECRET_RULE}.`);
  return text;
}

interface Keeping {
  readonly secret: string | undefined;
  readonly data_dir: string;
}

/**
 * The present secret. With the embedded database it is generated once and stored beside the data that depends on it.
 */
export function loadSecret(config: Keeping): string {
  if (config.secret !== undefined) return config.secret;
  const file = join(config.data_dir, 'secret');
  if (!existsSync(file)) keepNewSecret(file);
  return readSecret('PARLEY_DATA_DIR', file);
}

/** Written atomically: a half-written secret, once used, would change every API key. */
function keepNewSecret(file: string): void {
  mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
  const fresh = `${file}.${process.pid}.new`;
  const handle = openSync(fresh, 'w', 0o600);
  writeSync(handle, `${randomBytes(32).toString('base64url')}\n`);
  fsyncSync(handle);
  closeSync(handle);
  try {
    linkSync(fresh, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(fresh);
  }
}
