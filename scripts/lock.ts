// What a lock must contain so that `npm ci` installs the same packages on every machine.

export interface LockedPackage {
  /** Present where it differs from the name of its directory. */
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  /** The address of the tarball, or the directory of a workspace, where `link` is set. */
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly inBundle?: boolean;
  /** npm writes a single value as a string. */
  readonly os?: string | readonly string[];
  readonly cpu?: string | readonly string[];
  readonly libc?: string | readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}
export interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}
export type Manifest = Pick<LockedPackage, 'dependencies' | 'devDependencies' | 'optionalDependencies'>;

interface Platform {
  readonly os: string;
  readonly cpu: string;
  readonly libc?: string;
}

const PLATFORMS: readonly Platform[] = [
  { os: 'linux', cpu: 'x64', libc: 'glibc' },
  { os: 'linux', cpu: 'x64', libc: 'musl' },
  { os: 'linux', cpu: 'arm64', libc: 'glibc' },
  { os: 'linux', cpu: 'arm64', libc: 'musl' },
  { os: 'darwin', cpu: 'x64' },
  { os: 'darwin', cpu: 'arm64' },
  { os: 'win32', cpu: 'x64' },
];
/** Builds that a package does not publish, so that no lock can contain them. */
const NOT_PUBLISHED: Readonly<Record<string, readonly string[]>> = { deno: ['linux x64 musl', 'linux arm64 musl'] };
/** npm asks the registry that it is configured for instead of this one. */
const REGISTRY = 'https://registry.npmjs.org/';
const KINDS = ['dependencies', 'devDependencies', 'optionalDependencies'] as const;

export function lockProblems(lock: Lock): string[] {
  return [...missingOptional(lock), ...missingPlatforms(lock), ...missingIntegrity(lock), ...missingAddress(lock)];
}

/** Differences between the manifest of a workspace and its entry in the lock; `npm ci` fails for each of them. */
export function manifestProblems(lock: Lock, path: string, manifest: Manifest): string[] {
  const name = path === '' ? 'package.json' : `${path}/package.json`;
  return KINDS.flatMap((kind) => {
    const locked = lock.packages[path]?.[kind] ?? {};
    const declared = manifest[kind] ?? {};
    return [...new Set([...Object.keys(declared), ...Object.keys(locked)])].flatMap((dependency) => {
      if (declared[dependency] !== locked[dependency])
        return [`${name}: "${dependency}" is ${declared[dependency]} there and ${locked[dependency]} in the lock.`];
      return find(lock, path, dependency) ? [] : [`${name}: the lock has no version of "${dependency}".`];
    });
  });
}

function missingOptional(lock: Lock): string[] {
  return Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !find(lock, path, name))
      .map((name) => `${path || 'package.json'} lists the optional dependency ${name}, which is not in the lock.`),
  );
}

/** A package with one build only, such as fsevents, has an addition for one system, not a build for each. */
function missingPlatforms(lock: Lock): string[] {
  return Object.entries(lock.packages).flatMap(([path, one]) => {
    const builds = Object.keys(one.optionalDependencies ?? {}).flatMap((name) => {
      const at = find(lock, path, name);
      const build = at === undefined ? undefined : lock.packages[at];
      return build && (build.os ?? build.cpu ?? build.libc) !== undefined ? [build] : [];
    });
    if (builds.length < 2 || !path.includes('node_modules/')) return [];
    const absent = PLATFORMS.filter((platform) => !builds.some((build) => runsOn(build, platform)))
      .map(({ os, cpu, libc = '' }) => `${os} ${cpu} ${libc}`.trim())
      .filter((platform) => !NOT_PUBLISHED[path.split('node_modules/').at(-1) ?? '']?.includes(platform));
    return absent.map((platform) => `${path} has no build for ${platform} in the lock.`);
  });
}

function missingIntegrity(lock: Lock): string[] {
  return downloads(lock)
    .filter(([, one]) => !one.integrity)
    .map(([path]) => `${path} has no integrity in the lock.`);
}

/** Without the address of a tarball, npm first downloads the metadata of all versions of the package. */
function missingAddress(lock: Lock): string[] {
  return downloads(lock)
    .filter(([, one]) => !one.resolved?.startsWith(REGISTRY))
    .map(([path]) => `${path} has no address at ${REGISTRY} in the lock.`);
}

const downloads = (lock: Lock) =>
  Object.entries(lock.packages).filter(([path, one]) => path.includes('node_modules/') && !one.link && !one.inBundle);

function runsOn(build: LockedPackage, { os, cpu, libc }: Platform): boolean {
  return allows(build.os, os) && allows(build.cpu, cpu) && (libc === undefined || allows(build.libc, libc));
}

const allows = (listed: string | readonly string[] | undefined, value: string): boolean =>
  listed === undefined || [listed].flat().includes(value);

/** Where Node resolves the package of a name that is imported at a path of the lock. */
export function find({ packages }: Lock, path: string, name: string): string | undefined {
  const found = `${path === '' ? '' : `${path}/`}node_modules/${name}`;
  if (found in packages) return found;
  return path === '' ? undefined : find({ packages }, path.slice(0, Math.max(0, path.lastIndexOf('/'))), name);
}
