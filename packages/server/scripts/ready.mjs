// Makes a clone ready with nothing but Node and npm: installs what is missing, then builds what has changed.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const at = (path) => `${root}${path}`;

/** npm writes this file at the end of an install. */
const installed = at('node_modules/.package-lock.json');
const isFresh = existsSync(installed) && statSync(installed).mtimeMs >= statSync(at('package-lock.json')).mtimeMs;
if (!isFresh) run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], 'Installing packages');
if (process.argv.includes('build')) run('npx', ['turbo', 'run', 'build', '--output-logs=errors-only'], 'Building');

function run(command, args, what) {
  process.stderr.write(`${what} …\n`);
  const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1', ASTRO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' };
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    env,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    maxBuffer: 1 << 28,
  });
  if (status === 0) return;
  process.stderr.write(`${stdout}${stderr}\n${what} failed.\n`);
  process.exit(status ?? 1);
}
