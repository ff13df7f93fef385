// Fails when a lock of the repository would not install the same packages on another machine.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { globSync } from 'tinyglobby';
import { type Lock, lockProblems, type Manifest, manifestProblems } from './lock.ts';
import { report } from './report.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const read = <T>(path: string): T => JSON.parse(readFileSync(join(root, path), 'utf8')) as T;
const locks = globSync('**/package-lock.json', { cwd: root, ignore: ['**/node_modules/**', '**/dist/**'] });

const problems = locks.flatMap((file) => {
  const lock = read<Lock>(file);
  const folder = dirname(file);
  const owned = Object.keys(lock.packages).filter((path) => !path.includes('node_modules/'));
  return [
    ...lockProblems(lock),
    ...owned.flatMap((path) => manifestProblems(lock, path, read<Manifest>(join(folder, path, 'package.json')))),
  ].map((problem) => `${file}: ${problem}`);
});
report('Locks', problems);
