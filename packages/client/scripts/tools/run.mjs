// Tries the document with tools that are no generators: the rules of Spectral, a mock server of Prism, and the collection that
// Postman makes. They are installed into a temporary folder and belong to no package.json.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkCollection } from './postman.mjs';
import { checkMocks } from './prism.mjs';
import { checkRules } from './spectral.mjs';

const TOOLS = [
  '@stoplight/spectral-cli@6.16.3',
  '@stoplight/prism-cli@5.14.2',
  'openapi-to-postmanv2@6.3.3',
  'newman@6.2.2',
];

const folder = mkdtempSync(join(tmpdir(), 'document-tools-'));
try {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  copyFileSync(
    fileURLToPath(new URL('../../../../openapi/generated/openapi.json', import.meta.url)),
    join(folder, 'openapi.json'),
  );
  const install = ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...TOOLS];
  const { status, stderr } = spawnSync('npm', install, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  const checks = [checkRules(folder), await checkMocks(folder), await checkCollection(folder)];
  for (const { name, done, problems } of checks) {
    console.log(`${name}: ${done}, ${problems.length} problems`);
    for (const problem of problems) console.log(`  ${problem}`);
  }
  process.exitCode = checks.every(({ problems }) => problems.length === 0) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
