// Fails when a package that Parley ships or installs in production has a license that is not on the list.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COPIED_PACKAGES, type LicensedPackage, licenseProblems, productionPaths } from './licenses.ts';
import { find, type Lock, type LockedPackage } from './lock.ts';
import { report } from './report.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const read = <T>(path: string): T => JSON.parse(readFileSync(join(root, path), 'utf8')) as T;
const lock = read<Lock>('package-lock.json');

const copied = COPIED_PACKAGES.map((name) => find(lock, 'apps/docs', name) ?? name);
const paths = [...new Set([...productionPaths(lock, ['packages/server', 'packages/client']), ...copied])];

report(`Licenses of ${paths.length} packages`, licenseProblems(paths.map(licensed)));

function licensed(path: string): LicensedPackage {
  const { name = path.split('node_modules/').at(-1) ?? path, license } = lock.packages[path] ?? {};
  return { path, name, license: license ?? olderLicense(path) };
}

/** Some packages declare it in the form from before 2015, which npm does not copy into the lock. */
function olderLicense(path: string): string | undefined {
  const { licenses } = read<LockedPackage & { licenses?: { type: string }[] }>(join(path, 'package.json'));
  return licenses?.map(({ type }) => type).join(' OR ');
}
