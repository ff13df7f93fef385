// What an installation of the server needs, with the versions of the repository's package-lock.json.

const OWN = 'packages/server';

/** The names that a package needs: always, or where the platform has them. */
const namesOf = ({ dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta }) => ({
  required: [
    ...Object.keys(dependencies ?? {}),
    ...Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta?.[name]?.optional),
  ],
  optional: Object.keys(optionalDependencies ?? {}),
});

/** Where Node finds `name` from the package at `from`: in the nearest `node_modules` upwards. */
function locate(packages, from, name) {
  for (let at = from; ; at = at.includes('/node_modules/') ? at.slice(0, at.lastIndexOf('/node_modules/')) : '') {
    const path = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
    if (packages[path] !== undefined) return path;
    if (at === '') return undefined;
  }
}

/** Places in the lock of everything that the server needs; `everywhere` says whether every platform needs it. */
function reach(packages) {
  const reached = new Map();
  const visit = (path, everywhere) => {
    if (reached.get(path) === true || (reached.has(path) && !everywhere)) return;
    reached.set(path, everywhere);
    const entry = packages[path];
    if (entry.link) return visit(entry.resolved, everywhere);
    const { required, optional } = namesOf(entry);
    for (const name of [...required, ...optional]) {
      const found = locate(packages, path, name);
      if (found !== undefined) visit(found, everywhere && !optional.includes(name));
      else if (!optional.includes(name)) throw new Error(`package-lock.json lacks ${name}, which ${path} needs.`);
    }
  };
  visit(OWN, true);
  return reached;
}

/** In an installation of its own the server is the root, and what was beside it is below it. */
const pathBelow = (path) => (path.startsWith(`${OWN}/`) ? path.slice(OWN.length + 1) : path);

/**
 * The packages of an installation by their place in it. Those of this repository have a version and nothing that says where
 * they come from: a registry, or a file beside.
 */
function installed(packages) {
  const found = {};
  for (const [path, everywhere] of [...reach(packages)].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const { link, resolved, devDependencies, dev, devOptional, peer, ...entry } = packages[path];
    if (path === OWN || link) continue;
    const below = path.includes('node_modules/') ? pathBelow(path) : `node_modules/${entry.name}`;
    if (found[below] !== undefined) throw new Error(`Two versions of one package would be at ${below}.`);
    const { name: _name, ...sibling } = entry;
    found[below] = { entry: path.includes('node_modules/') ? entry : sibling, everywhere };
  }
  return found;
}

/** Exact versions of everything that every platform needs, direct or not. Of what is there twice, the one at the top. */
function pinned(packages) {
  const tops = Object.entries(installed(packages)).filter(
    ([path, { everywhere }]) => everywhere && path.lastIndexOf('node_modules/') === 0,
  );
  return Object.fromEntries(tops.map(([path, { entry }]) => [path.slice('node_modules/'.length), entry.version]));
}

/** The manifest that is published: what it needs is said to the last version, and what only a clone can do is left out. */
export function publishedManifest(manifest, lock) {
  const { scripts: _scripts, devDependencies: _devDependencies, ...rest } = manifest;
  return { ...rest, dependencies: pinned(lock.packages) };
}

/** The npm-shrinkwrap.json of the published package. */
export function shrinkwrap(manifest, lock) {
  const { name, version, license, dependencies, bin, engines } = publishedManifest(manifest, lock);
  const packages = Object.entries(installed(lock.packages)).map(([path, { entry }]) => [path, entry]);
  return {
    name,
    version,
    lockfileVersion: lock.lockfileVersion,
    requires: true,
    packages: { '': { name, version, license, dependencies, bin, engines }, ...Object.fromEntries(packages) },
  };
}
