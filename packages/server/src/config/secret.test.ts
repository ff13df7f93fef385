import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createConfigFolder, SECRET } from '../../test/fixtures/config-folder.ts';
import { loadSecret, readConfig } from './index.ts';

const { folder } = createConfigFolder();

describe('the secret of the embedded database', () => {
  test('is created once, readable by the owner only, and kept', () => {
    const config = readConfig({ PARLEY_DATA_DIR: join(folder, 'data') });
    const secret = loadSecret(config);
    expect(secret.length).toBeGreaterThanOrEqual(32);
    expect(loadSecret(config)).toBe(secret);
    expect(readFileSync(join(folder, 'data', 'secret'), 'utf8').trim()).toBe(secret);
    expect(statSync(join(folder, 'data', 'secret')).mode & 0o777).toBe(0o600);
  });

  test('is not created when the configuration has one', () => {
    expect(loadSecret(readConfig({ PARLEY_SECRET: SECRET, PARLEY_DATA_DIR: '/nowhere' }))).toBe(SECRET);
  });
});
