// What must be in each tarball, and what must not.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** The folder of each published package, and files that it cannot do without. */
export const published = {
  '@parley/openapi': { folder: 'openapi', needs: ['generated/openapi.json', 'generated/openapi.yaml'] },
  '@parley/db': { folder: 'packages/db', needs: ['migrations/meta/_journal.json'] },
  '@parley/client': { folder: 'packages/client', needs: ['dist/node/index.js'] },
  '@parley/server': {
    folder: 'packages/server',
    needs: [
      'bin/parley.mjs',
      'dist/testing/index.js',
      'docs/index.html',
      'generated/validators/operations.json',
      'npm-shrinkwrap.json',
    ],
  },
};

const read = (tarball, name) =>
  execFileSync('tar', ['-xzOf', tarball, `package/${name}`], { encoding: 'utf8', maxBuffer: 1 << 28 });
const list = (tarball) =>
  execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8', maxBuffer: 1 << 28 })
    .trim()
    .split('\n')
    .map((path) => path.slice('package/'.length));
const readOwn = (path) => readFileSync(`${root}${path}`, 'utf8');

/** Problems of one tarball, a line each. */
export function problemsOf(name, tarball) {
  const { folder, needs } = published[name];
  const files = list(tarball);
  const manifest = JSON.parse(read(tarball, 'package.json'));
  return [
    ...['LICENSE', 'README.md', ...needs].filter((file) => !files.includes(file)).map((file) => `lacks ${file}`),
    ...manifestProblems(manifest, folder),
    ...(files.includes('LICENSE') && read(tarball, 'LICENSE') !== readOwn('LICENSE') ? ['has another LICENSE'] : []),
    ...files.filter((file) => isSource(file)).map((file) => `has a source or a test: ${file}`),
    ...codeProblems(files, tarball, folder),
  ];
}

function manifestProblems(manifest, folder) {
  const { repository } = JSON.parse(readOwn('package.json'));
  return [
    ...(manifest.private ? ['is private, and npm does not publish it'] : []),
    ...(manifest.repository?.url === repository.url && manifest.repository.directory === folder
      ? []
      : [`does not say where in ${repository.url} it comes from`]),
    ...['license', 'description', 'engines'].filter((field) => !manifest[field]).map((field) => `lacks "${field}"`),
  ];
}

/** The docs are pages, and migrations are SQL; everything else is compiled. */
const isSource = (file) =>
  !file.startsWith('docs/') && (/(^|\/)(src|test|scripts)\//.test(file) || /(?<!\.d)\.ts$|\.test\./.test(file));

/** The command line in few files, made of all that it needs. */
const BUNDLE = 'dist/bundle/';

/** What a compiled file has beside it. Nothing imports the bundle of the command line, so that has no declarations. */
function besides(file) {
  const map = `${file}.map`;
  return file.startsWith(BUNDLE) ? [map] : [map, file.replace(/js$/, 'd.ts'), file.replace(/js$/, 'd.ts.map')];
}

function codeProblems(files, tarball, folder) {
  const code = files.filter((file) => /^dist\/.*(?<!\.d)\.js$/.test(file));
  const present = new Set(files);
  const words = files.filter((file) => /^dist\/.*\.(js|d\.ts)$|^README\.md$/.test(file));
  const text = execFileSync('tar', ['-xzOf', tarball, ...words.map((file) => `package/${file}`)], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const map = code[0] === undefined ? undefined : JSON.parse(read(tarball, `${code[0]}.map`));
  return [
    ...code.flatMap((file) =>
      besides(file)
        .filter((beside) => !present.has(beside))
        .map((beside) => `lacks ${beside}`),
    ),
    ...code
      .filter((file) => !file.startsWith(BUNDLE))
      .filter((file) => !existsSync(`${root}${folder}/${file.replace(/^dist/, 'src').replace(/js$/, 'ts')}`))
      .map((file) => `has a file whose source is gone: ${file}`),
    ...(map?.sourcesContent?.[0] ? [] : ['has source maps without sources']),
    ...(/localhost:8080/.test(text) ? ['leads to localhost:8080'] : []),
  ];
}
