// Prints a CycloneDX document of the packages that the server installs. npm's own `--omit dev` also omits packages that
// both the server and a build tool need.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { productionPaths } from './licenses.ts';
import type { Lock } from './lock.ts';

interface Component {
  readonly name: string;
  readonly version: string;
  readonly 'bom-ref': string;
}

interface Sbom {
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const root = fileURLToPath(new URL('../', import.meta.url));
const lock = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')) as Lock;
const installed = new Set(
  productionPaths(lock, ['packages/server']).map((path) => {
    const { name = path.split('node_modules/').at(-1), version } = lock.packages[path] ?? {};
    return `${name}@${version}`;
  }),
);
const all = execFileSync('npm', ['sbom', '--silent', '--sbom-format', 'cyclonedx'], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 1 << 28,
  shell: process.platform === 'win32',
});
const sbom = JSON.parse(all) as Sbom;
const components = sbom.components.filter(({ name, version }) => installed.has(`${name}@${version}`));
const refs = new Set(components.map((component) => component['bom-ref']));
const dependencies = sbom.dependencies
  .filter(({ ref }) => refs.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }));
console.log(JSON.stringify({ ...sbom, components, dependencies }, null, 2));
