// What the rules for OpenAPI that Spectral brings say of the document.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const RULESET = {
  extends: 'spectral:oas',
  // `Error` is there for clients to read: operations refer to the errors that they can have.
  rules: { 'oas3-unused-component': 'off' },
};

/** Lints the document. Warnings and hints are problems, too. */
export function checkRules(folder) {
  writeFileSync(join(folder, 'ruleset.json'), JSON.stringify(RULESET));
  const words = [
    'lint',
    'openapi.json',
    '--ruleset',
    'ruleset.json',
    '--format',
    'json',
    '--fail-severity',
    'hint',
    '--quiet',
  ];
  const { status, stdout, stderr } = spawnSync(join(folder, 'node_modules/.bin/spectral'), words, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (status !== 0 && !stdout.startsWith('[')) throw new Error(stdout + stderr);
  const found = stdout.startsWith('[') ? JSON.parse(stdout) : [];
  const problems = found.map(({ code, path, message }) => `${code} at ${path.join('.')}: ${message}`);
  return { name: 'Spectral', done: 'spectral:oas', problems };
}
