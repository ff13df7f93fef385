// Makes clients of the document that a live server serves, with each generator in a temporary folder, compiles them with strict
// TypeScript, and lets them log in, subscribe, send, search, upload, set flags and follow events. Prints a table in Markdown.
// Names of generators as arguments choose some of them; `--shard=1/2` chooses every other one.
import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parley, startDevServer } from '../dev-server.mjs';
import { generators } from './generators.mjs';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const programs = fileURLToPath(new URL('programs/', import.meta.url));
const tool = (name) => join(root, 'node_modules/.bin', name);
const STEPS = ['log in', 'subscribe', 'send', 'search', 'upload', 'flags', 'follow'];
/** Generators that are tried at the same time. */
const AT_ONCE = 2;
const PASSWORD = 'a password of generated clients';

const { values, positionals: names } = parseArgs({ options: { shard: { type: 'string' } }, allowPositionals: true });
const [part = 1, parts = 1] = values.shard?.split('/').map(Number) ?? [];
const chosen = generators
  .filter((_, at) => at % parts === part - 1)
  .filter(({ name }) => names.length === 0 || names.includes(name));
const work = mkdtempSync(join(tmpdir(), 'generated-clients-'));
const { url, env, stop } = await startDevServer(work);
try {
  const account = createAccount();
  const document = await (await fetch(`${url}/openapi.json`)).text();
  const rows = [];
  const waiting = [...chosen.entries()];
  const tryNext = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [index, generator] = next;
      rows[index] = await tryGenerator(generator, document, account);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, tryNext));
  console.log(`\n${table(rows)}`);
  process.exitCode = rows.every(({ steps, problem }) => steps.length === STEPS.length && !problem) ? 0 : 1;
} finally {
  await stop();
  rmSync(work, { recursive: true, force: true });
}

/** A new member with a password, created by the operator. */
function createAccount() {
  const email = 'generated@example.com';
  const words = ['--realm', '', '--email', email, '--name', 'Generated', '--password', PASSWORD, '--role', 'member'];
  const { status, stdout, stderr } = spawnSync('node', [parley, 'user', 'create', ...words], { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(stdout + stderr);
  return { PARLEY_URL: url, PARLEY_EMAIL: email, PARLEY_PASSWORD: PASSWORD };
}

async function tryGenerator({ name, packages, command: [binary, ...words], files }, document, account) {
  const folder = join(work, name);
  mkdirSync(join(folder, 'generated'), { recursive: true });
  const write = (file, text) => writeFileSync(join(folder, file), text);
  write('package.json', JSON.stringify({ private: true, type: 'module' }));
  write('openapi.json', document);
  write('tsconfig.json', JSON.stringify(tsconfig(name)));
  for (const [file, text] of Object.entries(files?.(url) ?? {})) write(file, text);
  for (const program of [`${name}.ts`, 'scenario.ts']) cpSync(join(programs, program), join(folder, program));
  const run = (program, args, extra = {}) =>
    new Promise((resolve) => {
      const options = { cwd: folder, env: { ...process.env, ...extra }, timeout: 180_000, maxBuffer: 1 << 28 };
      execFile(program, args, options, (error, stdout, stderr) => resolve({ failed: error !== null, stdout, stderr }));
    });
  const row = { packages, steps: [], compiles: false };
  const fail = (problem, { stdout, stderr }) => {
    console.log(`${name}: ${problem}\n${stdout}${stderr}`);
    return { ...row, problem };
  };
  const installed = await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...packages]);
  if (installed.failed) return fail('cannot be installed', installed);
  const generated = await run(join(folder, 'node_modules/.bin', binary), words);
  if (generated.failed) return fail('does not generate', generated);
  const compiled = await run(tool('tsc'), ['-p', '.']);
  if (compiled.failed) return fail('does not compile', compiled);
  row.compiles = true;
  const done = await run(tool('tsx'), [`${name}.ts`], account);
  row.steps = [...done.stdout.matchAll(/^step (.*)$/gm)].map(([, step]) => step);
  if (done.failed) return fail('fails', done);
  console.log(`${name}: ${row.steps.join(', ')}`);
  return row;
}

/** Only the generated code is judged: packages that it imports have types of their own. */
function tsconfig(name) {
  return {
    compilerOptions: {
      strict: true,
      noEmit: true,
      target: 'ES2022',
      module: 'ES2022',
      moduleResolution: 'bundler',
      lib: ['ES2022', 'DOM', 'DOM.Iterable'],
      types: [],
      allowImportingTsExtensions: true,
      skipLibCheck: true,
    },
    files: [`${name}.ts`],
  };
}

function table(rows) {
  const mark = (is) => (is ? 'yes' : 'no');
  const lines = rows.map(({ packages: [first], compiles, steps }) => [
    `\`${first}\``,
    mark(compiles),
    ...STEPS.map((step) => mark(steps.includes(step))),
  ]);
  const head = ['Generator', 'compiles', ...STEPS];
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
