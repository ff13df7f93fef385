// The inputs that turbo.json must name so that no task is taken from the cache after a change of a file that it reads.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { globSync } from 'tinyglobby';

export interface TurboConfig {
  readonly globalDependencies?: readonly string[];
  readonly tasks: Readonly<Record<string, { readonly inputs?: readonly string[] }>>;
}
export interface Workspace {
  readonly name: string;
  /** Relative to the root of the repository. */
  readonly path: string;
  /** Commands by name. */
  readonly scripts: Readonly<Record<string, string>>;
  /** Directories of the workspaces that it depends on: turbo builds and hashes those first. */
  readonly dependencies: readonly string[];
}
export interface Repository {
  readonly root: string;
  readonly turbo: TurboConfig;
  readonly workspaces: readonly Workspace[];
}

const ROOT = '$TURBO_ROOT$/';
/** All files of the workspace. */
const DEFAULT = '$TURBO_DEFAULT$';
const IGNORE = ['**/node_modules/**', '**/dist/**', '**/generated/**', '**/.astro/**'];
const CODE = '**/*.{ts,mjs,js,json,astro,mdx}';
const isTest = (path: string): boolean => path.endsWith('.test.ts') || /(^|\/)test\//.test(path);
const isTypeScript = (path: string): boolean => path.endsWith('.ts');
/** A script reads the files that its command names. */
const isNamed = (path: string, command: string): boolean => command.split(/\s+/).includes(path);
/**
 * The files that a task reads in its own workspace and elsewhere: a build reads no tests, and the compiler no pages.
 */
const TASKS: Readonly<
  Record<string, { own(path: string, command: string): boolean; elsewhere(path: string): boolean }>
> = {
  build: { own: (path) => !isTest(path), elsewhere: () => true },
  generate: { own: isNamed, elsewhere: () => true },
  'reference-tables': { own: isNamed, elsewhere: () => true },
  statements: { own: isNamed, elsewhere: () => true },
  typecheck: { own: isTypeScript, elsewhere: isTypeScript },
};
/** The name of the repository's root in turbo, which runs those of its scripts that have an entry of their own. */
const ROOT_WORKSPACE = '//';

export function readRepository(root: string): Repository {
  const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));
  const { workspaces: paths, scripts: rootScripts }: RootManifest = read('package.json');
  const manifests = paths.map((path) => ({ path, ...read(join(path, 'package.json')) }));
  const workspaces = manifests.map(({ path, name, scripts = {}, dependencies, devDependencies }): Workspace => {
    const names = Object.keys({ ...dependencies, ...devDependencies });
    const needed = manifests.filter((other) => names.includes(other.name));
    return { name, path, scripts, dependencies: needed.map((other) => other.path) };
  });
  const ofRoot = { name: ROOT_WORKSPACE, path: '', scripts: rootScripts, dependencies: [] };
  return { root, turbo: read('turbo.json'), workspaces: [...workspaces, ofRoot] };
}

interface RootManifest {
  readonly workspaces: readonly string[];
  readonly scripts: Readonly<Record<string, string>>;
}

/** Patterns that match no file: turbo ignores them without a warning. */
export function emptyPatterns({ root, turbo, workspaces }: Repository): string[] {
  const global = (turbo.globalDependencies ?? []).filter((pattern) => !matches(root, '', pattern));
  const ofTasks = Object.entries(turbo.tasks).flatMap(([task, { inputs = [] }]) => {
    const runners = workspaces.filter((workspace) => configOf(turbo, workspace, task.split('#').at(-1) ?? '') === task);
    return inputs
      .filter((pattern) => pattern !== DEFAULT && !runners.some(({ path }) => matches(root, path, pattern)))
      .map((pattern) => `The input "${pattern}" of "${task}" matches no file.`);
  });
  return [...global.map((pattern) => `The global dependency "${pattern}" matches no file.`), ...ofTasks];
}

/** Files that a task reads and that are neither its inputs nor in a workspace that it depends on. */
export function unlistedFiles(repository: Repository): string[] {
  const { root, turbo, workspaces } = repository;
  return workspaces.flatMap((workspace) =>
    Object.entries(TASKS).flatMap(([task, reads]) => {
      const config = configOf(turbo, workspace, task);
      if (config === undefined) return [];
      const inputs = turbo.tasks[config]?.inputs ?? [DEFAULT];
      const patterns = [...inputs, ...(turbo.globalDependencies ?? []).map((one) => ROOT + one)];
      const listed = new Set(patterns.flatMap((pattern) => filesOf(root, workspace.path, pattern)));
      const command = workspace.scripts[task] ?? '';
      const own = filesOf(root, workspace.path, CODE).filter((path) =>
        reads.own(relative(workspace.path, path), command),
      );
      const hashed = [...(inputs.includes(DEFAULT) ? [workspace.path] : []), ...workspace.dependencies];
      const folders = hashed.map((path) => `${path}/`);
      return [...own, ...referenced(root, own)]
        .filter(
          (path) => reads.elsewhere(path) && !listed.has(path) && !folders.some((folder) => path.startsWith(folder)),
        )
        .map((path) => `${task} of ${workspace.name} reads ${path}, which is not among its inputs in turbo.json.`);
    }),
  );
}

/** The entry of turbo.json that applies to a task of a workspace. */
function configOf({ tasks }: TurboConfig, { name, scripts }: Workspace, task: string): string | undefined {
  if (!(task in scripts)) return undefined;
  const keys = name === ROOT_WORKSPACE ? [`${name}#${task}`] : [`${name}#${task}`, task];
  return keys.find((key) => key in tasks);
}

function filesOf(root: string, path: string, pattern: string): string[] {
  const positive = pattern.replace(/^!/, '');
  const fromRoot = positive.startsWith(ROOT);
  const cwd = fromRoot ? root : join(root, path);
  const found = globSync(fromRoot ? positive.slice(ROOT.length) : positive, { cwd, dot: true, ignore: IGNORE });
  return found.map((file) => relative(root, join(cwd, file)));
}

const matches = (root: string, path: string, pattern: string): boolean => filesOf(root, path, pattern).length > 0;

/** The files that these reference by a relative path, and those that they reference in turn. */
function referenced(root: string, files: readonly string[]): string[] {
  const seen = new Set<string>();
  const queue = [...files];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    for (const next of pathsIn(root, path)) {
      if (seen.has(next)) continue;
      seen.add(next);
      queue.push(next);
    }
  }
  return [...seen];
}

/** The paths in each file that was read: many tasks reference the same files. */
const pathsByFile = new Map<string, string[]>();

function pathsIn(root: string, path: string): string[] {
  const file = join(root, path);
  const paths = pathsByFile.get(file) ?? readPathsIn(root, path);
  pathsByFile.set(file, paths);
  return paths;
}

function readPathsIn(root: string, path: string): string[] {
  if (!/\.(ts|mjs|js|json|astro|mdx)$/.test(path)) return [];
  const text = readFileSync(join(root, path), 'utf8');
  return [...text.matchAll(/['"`](\.\.?\/[^'"`\s?*]+)/g)]
    .map(([, name = '']) => resolve(root, dirname(path), name))
    .filter((file) => existsSync(file) && statSync(file).isFile())
    .map((file) => relative(root, file))
    .filter((file) => !file.startsWith('..') && !/(^|\/)(node_modules|dist|generated)\//.test(file));
}
