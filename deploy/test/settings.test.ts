// Rules for all files for operators.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { variableNames, variableTable } from '../../packages/server/src/config/index.ts';

const folder = fileURLToPath(new URL('..', import.meta.url));
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => !/^(test|secrets|node_modules)(\/|$)/.test(path) && /Dockerfile|Caddyfile|\.\w+$/.test(path))
  .filter((path) => !/\.(ts|json|tpl)$/.test(path));
const read = (path: string) => readFileSync(join(folder, path), 'utf8');

/** The number of seconds for which the servers of these files drain. */
const DRAIN = 5;
/** Seconds for closing the database, after PARLEY_DRAIN and PARLEY_GRACE. */
const MARGIN = 15;
const secondsOf = (name: string) => Number(variableTable.find((variable) => variable.name === name)?.default);
const longestStop = DRAIN + secondsOf('PARLEY_GRACE') + MARGIN;

describe('what stops a server waits until it has drained and finished', () => {
  test.each([
    ['systemd/parley.service', /^TimeoutStopSec=(\d+)s$/m],
    ['compose.yaml', /image: parley:[\s\S]*?stop_grace_period: (\d+)s\n/],
    ['helm/parley/values.yaml', /^terminationGracePeriodSeconds: (\d+)$/m],
  ])('%s', (path, pattern) => {
    expect(Number(pattern.exec(read(path))?.[1])).toBeGreaterThanOrEqual(longestStop);
  });

  test.each([
    ['nginx/parley.conf', /^\s*keepalive_timeout (\d+)s;$/m],
    ['caddy/Caddyfile', /^\s*keepalive (\d+)s$/m],
  ])('%s closes idle connections before a server that drains does', (path, pattern) => {
    expect(Number(pattern.exec(read(path))?.[1])).toBeLessThan(DRAIN);
  });

  test.each([
    ['systemd/parley.service', /^Environment=PARLEY_DRAIN=(\d+)$/m],
    ['compose.yaml', /^ {6}PARLEY_DRAIN: "(\d+)"$/m],
    ['helm/parley/values.yaml', /^ {2}PARLEY_DRAIN: "(\d+)"$/m],
  ])('%s has it drain', (path, pattern) => {
    expect(Number(pattern.exec(read(path))?.[1])).toBe(DRAIN);
  });
});

describe('the files for operators', () => {
  test('are found', () => {
    for (const path of ['Dockerfile', 'compose.yaml', 'systemd/parley.service', 'nginx/parley.conf', 'caddy/Caddyfile'])
      expect(files).toContain(path);
    expect(files).toContain('helm/parley/templates/configmap.yaml');
  });

  test.each(files)('%s names only settings that Parley has', (path) => {
    const named = read(path).match(/\b(PARLEY_[A-Z_]*[A-Z]|DATABASE_URL\w*)\b/g) ?? [];
    for (const name of named) expect(variableNames).toContain(name);
  });

  test.each(files)('%s starts the installed parley, and never one that npx would have to fetch', (path) => {
    const commands = read(path)
      .split('\n')
      .filter((line) => !line.trim().startsWith('#'));
    expect(commands.join('\n')).not.toMatch(/\bnpx\b|\bnpm (start|run parley|exec)\b/);
  });
});
