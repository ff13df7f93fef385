import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SourceFile } from './source-file.ts';

export const root = fileURLToPath(new URL('../', import.meta.url));

/** The matching files that git tracks, or would add. */
export function readFiles(...patterns: string[]): SourceFile[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns];
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '' && existsSync(join(root, path)))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}
