// Makes a clone ready with nothing but Node and npm: installs what is missing, then builds what has changed.
import { spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const at = (path) => `${root}${path}`;
/** Milliseconds after which a step that is still running says so, again and again. */
const PATIENCE = 5000;

/** Back to the start of the line, and clears it. */
const START = process.stderr.isTTY ? '\r\u001b[K' : '';

/** npm writes this file at the end of an install. */
const installed = at('node_modules/.package-lock.json');
const isFresh = existsSync(installed) && statSync(installed).mtimeMs >= statSync(at('package-lock.json')).mtimeMs;
if (!isFresh) await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], 'Installing packages');
if (process.argv.includes('build'))
  await run('node', ['node_modules/turbo/bin/turbo', 'run', 'build', '--output-logs=errors-only'], 'Building');

/** Prints a line at the start and at the end; what the command prints is shown when it fails. */
async function run(command, args, step) {
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1000);
  say(`${step} …`);
  const clock = setInterval(() => progress(`${step} … ${seconds()} s`), PATIENCE);
  const { code, printed } = await outcomeOf(command, args);
  clearInterval(clock);
  if (code === 0) return say(`${step}: done in ${seconds()} s.`);
  say(`${printed}\n${step} failed after ${seconds()} s.`);
  process.exit(code);
}

function outcomeOf(command, args) {
  const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1', ASTRO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' };
  const child = spawn(command, args, {
    cwd: root,
    env,
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (printed += part));
  return new Promise((resolve) => {
    child.on('error', ({ message }) => resolve({ code: 1, printed: message }));
    child.on('close', (code) => resolve({ code: code ?? 1, printed }));
  });
}

function say(line) {
  process.stderr.write(`${START}${line}\n`);
}

/** On a terminal each one replaces the one before it. */
function progress(line) {
  process.stderr.write(START ? `${START}${line}` : `${line}\n`);
}
