// Puts the command line into few files: Node takes longer to find and read a thousand small modules than to run a command.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const folder = fileURLToPath(new URL('../', import.meta.url));
const repository = join(folder, '../../');
const outdir = join(folder, 'dist/bundle');

/** Bundled with what they import: many small files that nearly every command needs. Other packages stay in node_modules. */
const BUNDLED = ['commander', 'drizzle-orm', 'pg', 'p-limit', 'lru-cache', 'diff', 'postal-mime'];
/** The packages of this repository that are bundled, and the folder of each module that its main file is in. */
const OWN = { '@parley/db': 'packages/db/dist', '@parley/openapi': 'openapi/dist' };

rmSync(outdir, { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: { parley: join(folder, 'dist/cli/index.js') },
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // pg looks for the runtime that it is in. Node 20 has no `navigator`, and would load its HTTP client for that.
  define: { navigator: '{"userAgent":"Node.js"}' },
  metafile: true,
  sourcemap: true,
  logLevel: 'warning',
  // commander is CommonJS and requires parts of Node.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);",
  },
  plugins: [external(), addresses()],
});
writeFileSync(join(outdir, 'LICENSES.txt'), licenses(Object.keys(metafile.inputs)));

function external() {
  const isBundled = (path) =>
    [...BUNDLED, ...Object.keys(OWN)].some((name) => path === name || path.startsWith(`${name}/`));
  return {
    name: 'external',
    setup(bundle) {
      bundle.onResolve({ filter: /^[@a-z]/ }, ({ path, kind, importer }) => {
        if (kind === 'entry-point') return undefined;
        return isBundled(path) || importer.includes('node_modules') ? undefined : { path, external: true };
      });
    },
  };
}

/** Modules find files by `import.meta.url`: it stays the address of the module that was bundled. */
function addresses() {
  return {
    name: 'addresses',
    setup(bundle) {
      bundle.onLoad({ filter: /\/dist\/.*\.js$/ }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        if (!text.includes('import.meta.url')) return undefined;
        const address = addressOf(path);
        return address && { contents: text.replaceAll('import.meta.url', address), loader: 'js' };
      });
    },
  };
}

function addressOf(path) {
  const posix = (from) => relative(from, path).split(sep).join('/');
  if (!posix(join(folder, 'dist')).startsWith('..'))
    return `new URL(${JSON.stringify(posix(outdir))}, import.meta.url).href`;
  for (const [name, home] of Object.entries(OWN)) {
    const inside = posix(join(repository, home));
    // By name, because npm decides where a package is installed.
    if (!inside.startsWith('..'))
      return `new URL(${JSON.stringify(inside)}, import.meta.resolve(${JSON.stringify(name)})).href`;
  }
  return undefined;
}

/** What the licences of the bundled packages ask for: their text goes wherever their code goes. */
function licenses(inputs) {
  const packages = new Set(inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input) ?? []));
  return [...packages].sort().map(licenseOf).join('\n\n');
}

function licenseOf(at) {
  const { name, version, license } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'));
  const texts = readdirSync(at).filter((file) => /^licen[cs]e/i.test(file));
  return [`${name} ${version} (${license})`, ...texts.map((file) => readFileSync(join(at, file), 'utf8'))].join('\n\n');
}
