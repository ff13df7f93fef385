// The programs that each part of these tests needs beside Node, and why a part cannot run on this machine.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

/** Global setup adds the PostgreSQL server that it finds. */
export const environment = process.env;

const requirements = {
  nginx: ['nginx', 'PostgreSQL'],
  Caddy: ['caddy', 'PostgreSQL'],
  'systemd unit': ['systemd-analyze'],
  'Compose file': ['docker-compose'],
  'Helm chart': ['helm'],
} as const satisfies Record<string, readonly string[]>;

export type Part = keyof typeof requirements;
export const parts = Object.keys(requirements) as Part[];

/** The path of a program. Servers are often in a directory that is in the `PATH` of root only. */
export function findProgram(name: string): string | undefined {
  const folders = [...(environment.PATH ?? '').split(':'), '/usr/local/sbin', '/usr/sbin', '/sbin'];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/** The reason why a part cannot run; undefined if it can. */
export function whyNotRun(part: Part): string | undefined {
  const missing = requirements[part].find((need) =>
    need === 'PostgreSQL' ? !environment.DATABASE_URL : findProgram(need) === undefined,
  );
  if (missing === undefined) return undefined;
  return missing === 'PostgreSQL' ? 'no PostgreSQL server accepts connections' : `${missing} is not installed`;
}

/** Runs a program to its end, with nothing of this process's environment but the `PATH`. */
export function run(name: string, words: readonly string[], more: Record<string, string> = {}) {
  const env = { PATH: environment.PATH, HOME: environment.HOME, ...more };
  const { status, stdout, stderr } = spawnSync(requireProgram(name), words, { env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

export function requireProgram(name: string): string {
  const path = findProgram(name);
  if (path === undefined) throw new Error(`${name} is not installed`);
  return path;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
