// The licenses that packages can have which Parley ships or installs in production.
import satisfies from 'spdx-satisfies';
import { SHIPPED_PACKAGES } from '../apps/docs/src/build/shipped-packages.ts';
import { find, type Lock } from './lock.ts';

/** They permit use, change and distribution under Apache-2.0 terms, and require no more than attribution. */
const ALLOWED = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
];

/** Packages that can have one more license, with the reason. */
export const EXCEPTIONS: readonly { readonly name: RegExp; readonly license: string; readonly reason: string }[] = [
  {
    name: /^@img\/sharp-(libvips-|win32-|wasm32)/,
    license: 'LGPL-3.0-or-later',
    reason: 'libvips is a library of its own that sharp loads; an operator can replace it. NOTICE says so.',
  },
];

/** Packages whose files become part of Parley's: in the pages of the documentation, and in the table of emoji. */
export const COPIED_PACKAGES: readonly string[] = [...SHIPPED_PACKAGES, 'emojibase-data', 'emojilib'];

export interface LicensedPackage {
  readonly path: string;
  readonly name: string;
  readonly license: string | undefined;
}

/** The directories that a production install of these workspaces fills, on any platform, each once. */
export function productionPaths(lock: Lock, roots: readonly string[]): string[] {
  const seen = new Set<string>();
  const queue = [...roots];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    const { link, resolved, ...locked } = lock.packages[path] ?? {};
    if (link && resolved !== undefined) queue.push(resolved);
    if (link || seen.has(path)) continue;
    seen.add(path);
    const names = Object.keys({ ...locked.dependencies, ...locked.optionalDependencies, ...locked.peerDependencies });
    queue.push(...names.flatMap((name) => find(lock, path, name) ?? []));
  }
  return [...seen].sort();
}

/** Packages whose license is unknown, or permits less than Parley needs. */
export function licenseProblems(packages: readonly LicensedPackage[]): string[] {
  return packages.flatMap(({ path, name, license }) => {
    if (license === undefined) return [`${path}: no license.`];
    const more = EXCEPTIONS.filter((exception) => exception.name.test(name)).map((exception) => exception.license);
    return isAllowed(license, [...ALLOWED, ...more]) ? [] : [`${path}: the license ${license} is not on the list.`];
  });
}

function isAllowed(license: string, allowed: string[]): boolean {
  try {
    return satisfies(license, allowed);
  } catch {
    // Words that are not an SPDX expression, such as "SEE LICENSE IN FILE".
    return false;
  }
}
