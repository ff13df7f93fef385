import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, whyNotRun } from './requirements.ts';

const unit = readFileSync(new URL('../systemd/parley.service', import.meta.url), 'utf8');
const INSTALLED = '/opt/parley/node_modules/.bin/parley';
/** Of 10. The rest is access to the network, machine code of V8, and reads of the file system. */
const THRESHOLD = 1.5;

describe.skipIf(whyNotRun('systemd unit'))('the systemd unit', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'parley-unit-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const written = (text: string) => {
    const path = join(folder, 'parley.service');
    // systemd checks that the program exists, so the unit names the one of this repository.
    writeFileSync(
      path,
      text.replace(INSTALLED, fileURLToPath(new URL('../../packages/server/bin/parley.mjs', import.meta.url))),
    );
    return path;
  };

  test('starts the installed command', () => {
    expect(unit).toContain(`ExecStart=${INSTALLED} serve\n`);
  });

  test('has no mistake that systemd finds', () => {
    // Mistakes are printed, but most of them do not change the exit code.
    expect(run('systemd-analyze', ['verify', '--man=no', written(unit)])).toEqual({
      status: 0,
      stdout: '',
      stderr: '',
    });
  });

  const exposure = (text: string) =>
    run('systemd-analyze', [
      'security',
      '--offline=true',
      '--no-pager',
      `--threshold=${THRESHOLD * 10}`,
      written(text),
    ]);

  test(`has an exposure of at most ${THRESHOLD} of 10`, () => {
    const { status, stdout } = exposure(unit);
    expect({ status, last: stdout.trim().split('\n').at(-1) }).toMatchObject({ status: 0 });
  });

  test('would not pass without its sandbox', () => {
    expect(exposure(unit.replace(/^(ProtectSystem|CapabilityBoundingSet|SystemCallFilter)=.*$/gm, '')).status).not.toBe(
      0,
    );
  });

  test('keeps secrets out of the environment', () => {
    const settings = unit.split('\n').filter((line) => line.startsWith('Environment='));
    for (const line of settings.filter((one) => /SECRET|DATABASE_URL/.test(one))) expect(line).toMatch(/_FILE=%d\//);
    expect(unit.match(/^LoadCredential=/gm)).toHaveLength(2);
  });
});
