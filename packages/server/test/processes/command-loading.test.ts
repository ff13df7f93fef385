// Which code a short command loads. Loading is most of its time, which cannot be measured reliably on a busy machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createPostgresEnvironment, createRealm, type Environment, type TestEnvironment } from '../parley.ts';

vi.setConfig({ testTimeout: 60_000 });

const program = fileURLToPath(new URL('../../bin/parley.mjs', import.meta.url));
const recorder = fileURLToPath(new URL('./record-loading.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'parley-loading-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Loaded {
  readonly code: number;
  /** Packages that were loaded from node_modules. */
  readonly packages: readonly string[];
  readonly files: number;
  readonly bytes: number;
}

let runs = 0;

async function loadedBy(words: string, environment: Environment = {}): Promise<Loaded> {
  const record = join(folder, `${++runs}.txt`);
  const child = spawn(process.execPath, ['--import', recorder, program, ...words.split(' ')], {
    env: { PATH: process.env.PATH, RECORD_LOADING: record, ...environment },
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  child.stdin.end('Subject: Pea soup\n\nIs it hot?\n');
  const [code] = await once(child, 'close');
  const paths = new Set(
    readFileSync(record, 'utf8')
      .split('\n')
      .filter((path) => path.startsWith('/')),
  );
  const packages = [...paths].flatMap((path) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  const bytes = [...paths].reduce((sum, path) => sum + statSync(path).size, 0);
  return { code: code as number, packages: [...new Set(packages)].sort(), files: paths.size, bytes };
}

describe('a command that needs no database', () => {
  test.each(['--help', 'config', 'realm --help', '--version'])(
    '%s loads the definitions of the command line alone',
    async (words) => {
      const { code, packages, files, bytes } = await loadedBy(words);
      expect({ code, packages }).toEqual({ code: 0, packages: [] });
      expect(files).toBeLessThan(20);
      expect(bytes).toBeLessThan(300_000);
    },
  );
});

describe.runIf(process.env.DATABASE_URL)('a command on PostgreSQL', () => {
  let environment: TestEnvironment;
  beforeAll(async () => {
    environment = await createPostgresEnvironment();
    await createRealm(environment.variables, 'acme');
  });
  afterAll(() => environment.remove());

  test.each([
    'realm list',
    'realm show acme',
    'realm set acme description Soup',
    'migrate --status',
    'doctor',
    'user list --realm acme',
    'user rotate-key --realm acme 2',
    'deliver-mail nowhere@acme.localhost',
  ])('%s loads no package from node_modules, and less than 2 MB in few files', async (words) => {
    const { packages, files, bytes } = await loadedBy(words, environment.variables);
    expect(packages).toEqual([]);
    expect(files).toBeLessThan(40);
    expect(bytes).toBeLessThan(2_000_000);
  });

  test('the record of what is loaded includes packages where a command needs one', async () => {
    const owner = '--owner-email olga@example.com --owner-name Olga --owner-password correct-horse-battery';
    const words = `realm create --subdomain soup --name Soup ${owner}`;
    expect((await loadedBy(words, environment.variables)).packages).toContain('@node-rs/argon2');
  });
});
