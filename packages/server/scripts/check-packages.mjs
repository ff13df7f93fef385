// Packs what is published, installs it into an empty folder, and uses it there as an operator and a programmer do.
import assert from 'node:assert/strict';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { problemsOf, published } from './packages/contents.mjs';
import { killServers, run, startServer, stopServer } from './packages/run.mjs';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'parley-packages-'));
const [tarballs, folder] = [join(work, 'tarballs'), join(work, 'folder')];
const parley = join(folder, 'node_modules/.bin/parley');
/** An operator's environment: nothing of the npm that runs this. */
const environment = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  PARLEY_PORT: '0',
  PARLEY_DATA_DIR: join(work, 'data'),
};
const OWNER = [
  '--owner-email',
  'olga@example.com',
  '--owner-name',
  'Olga',
  '--owner-password',
  'correct horse battery',
];

const say = (line) => process.stdout.write(`${line}\n`);
const nameOf = (file) => `@parley/${/^parley-([a-z]+)-/.exec(file)?.[1]}`;
const tarballOf = (name) => join(tarballs, readdirSync(tarballs).find((file) => nameOf(file) === name) ?? name);
const json = (text) => JSON.parse(text.trimEnd().split('\n').at(-1));
const installedLock = () => JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8')).packages;

async function step(what, work) {
  const since = performance.now();
  const more = await work();
  say(`ok  ${what}${more ? `: ${more}` : ''} (${((performance.now() - since) / 1000).toFixed(1)} s)`);
}

/** Packs a copy: packing changes the package.json of the server for a while, and programs of the repository may run meanwhile. */
function pack() {
  mkdirSync(tarballs);
  const copy = join(work, 'copy');
  const isPacked = (path) => !/\/(node_modules|\.turbo|\.test|test)$/.test(path);
  for (const name of ['package.json', 'package-lock.json', 'NOTICE', 'openapi', 'packages', 'apps'])
    cpSync(join(root, name), join(copy, name), { recursive: true, filter: isPacked });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  const workspaces = Object.keys(published).flatMap((name) => ['-w', name]);
  run(copy, 'npm', ['pack', '--loglevel=error', '--pack-destination', tarballs, ...workspaces]);
  return `${readdirSync(tarballs).length} tarballs`;
}

function checkContents() {
  const problems = Object.keys(published).flatMap((name) =>
    problemsOf(name, tarballOf(name)).map((problem) => `${name} ${problem}.`),
  );
  assert.deepEqual(problems, []);
}

function checkManifests() {
  for (const name of ['@parley/client', '@parley/server']) {
    run(root, 'npx', ['publint', '--strict', tarballOf(name)]);
    run(root, 'npx', ['attw', tarballOf(name), '--profile', 'esm-only', '--quiet']);
  }
}

function install() {
  mkdirSync(folder);
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  run(folder, 'npm', ['install', ...flags, ...Object.keys(published).map(tarballOf)], environment);
  const size = run(folder, 'du', ['-sm', 'node_modules']).split('\t')[0];
  return `${Object.keys(installedLock()).length} packages, ${size} MB`;
}

/** Versions as in the repository's lock, and nothing that only builds or tests. */
function checkInstalled() {
  const shrinkwrap = JSON.parse(
    run(work, 'tar', ['-xzOf', tarballOf('@parley/server'), 'package/npm-shrinkwrap.json']),
  );
  const versions = new Set(Object.entries(shrinkwrap.packages).map(([path, { version }]) => at(path, version)));
  const clientOnly = new Set(['@parley/client', '@parley/server', 'openapi-fetch', 'openapi-typescript-helpers']);
  const others = Object.entries(installedLock()).filter(
    ([path, { version }]) => !clientOnly.has(packageAt(path)) && !versions.has(at(path, version)),
  );
  assert.deepEqual(
    others.map(([path, { version }]) => at(path, version)),
    [],
    'The lock has other versions.',
  );
}
const packageAt = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
const at = (path, version) => `${packageAt(path)}@${version}`;

async function checkPages(url) {
  assert.equal((await (await fetch(`${url}/readyz`)).json()).status, 'ready');
  for (const path of ['/docs/', '/docs/reference/sendMessage/', '/openapi.json']) {
    assert.equal((await fetch(`${url}${path}`)).status, 200, path);
  }
}

async function serve() {
  run(folder, parley, ['migrate'], environment);
  const owner = json(
    run(folder, parley, ['realm', 'create', '--subdomain', '', '--name', 'Packed', ...OWNER, '--json'], environment),
  );
  const { child, url } = await startServer(folder, parley, ['serve'], environment);
  await checkPages(url);
  run(folder, parley, ['doctor'], environment);
  copyFileSync(new URL('packages/try-installed.mjs', import.meta.url), join(folder, 'try-installed.mjs'));
  const address = `http://localhost:${new URL(url).port}`;
  run(folder, process.execPath, ['try-installed.mjs', address, owner.email, owner.api_key], environment);
  assert.equal(await stopServer(child), 0, 'The exit code after SIGTERM is 0.');
}

async function dev() {
  const demo = { ...environment, PARLEY_DATA_DIR: join(work, 'demo') };
  const { child, url } = await startServer(folder, 'npx', ['@parley/server', 'dev'], demo);
  await checkPages(url);
  await stopServer(child);
}

/** As strict as a program can be: the declarations of the packages are checked, too. */
function compile() {
  const program = `import { createClient } from '@parley/client';
import { startTestServer, type TestServer } from '@parley/server/testing';
export const server: TestServer = await startTestServer();
await createClient(server.url, { login: server.login }).sendMessage({ type: 'stream', to: 1, topic: 't', content: 'c' });
`;
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...readInstalled('package.json'), type: 'module' }));
  writeFileSync(join(folder, 'program.ts'), program);
  const flags = [
    '--noEmit',
    '--strict',
    '--target',
    'es2023',
    '--module',
    'nodenext',
    '--lib',
    'es2023,dom,esnext.disposable',
  ];
  run(folder, join(root, 'node_modules/.bin/tsc'), [...flags, 'program.ts']);
}
const readInstalled = (file) => JSON.parse(readFileSync(join(folder, file), 'utf8'));

function cleanUp() {
  killServers();
  rmSync(work, { recursive: true, force: true });
}
for (const signal of ['SIGTERM', 'SIGINT']) {
  process.once(signal, () => {
    cleanUp();
    process.exit(1);
  });
}

try {
  await step('npm pack', pack);
  await step('contents: licence, readme, maps, no sources, no links to localhost', checkContents);
  await step('publint and attw', checkManifests);
  await step('npm install into an empty folder', install);
  await step('every version is the one of the lock', checkInstalled);
  await step('migrate, realm create, serve, doctor, /readyz, /docs/, a message, a test server, SIGTERM', serve);
  await step('npx @parley/server dev, SIGTERM', dev);
  await step('a TypeScript program compiles', compile);
} catch (error) {
  say(`FAILED  ${error.message}`);
  process.exitCode = 1;
} finally {
  cleanUp();
}
