import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);

/** Runs the Redocly CLI at the root of the repository, where its configuration is. */
export function redocly(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(fileURLToPath(new URL('node_modules/.bin/redocly', root)), args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
}
