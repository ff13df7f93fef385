import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { emptyPatterns, readRepository, type TurboConfig, unlistedFiles } from './turbo-inputs.ts';

const repository = readRepository(fileURLToPath(new URL('../', import.meta.url)));

/** The repository, with other inputs for a task. */
function withInputs(task: string, change: (inputs: readonly string[]) => string[]) {
  const { tasks } = repository.turbo;
  const config = { ...tasks[task], inputs: change(tasks[task]?.inputs ?? []) };
  return { ...repository, turbo: { ...repository.turbo, tasks: { ...tasks, [task]: config } } };
}

test('each input in turbo.json matches a file, and each file that a task reads elsewhere is an input', () => {
  expect([...emptyPatterns(repository), ...unlistedFiles(repository)]).toEqual([]);
});

test.each([
  ['@parley/docs#build', '$TURBO_ROOT$/docs/glossaries.md'],
  ['//#statements', 'docs/statement.md'],
  ['@parley/server#generate', 'scripts/emoji-tables.ts'],
  ['generate', '!features/**/missing.yaml'],
])('an input of %s that matches no file is a problem', (task, pattern) => {
  expect(emptyPatterns(withInputs(task, (inputs) => [...inputs, pattern]))).toEqual([
    `The input "${pattern}" of "${task}" matches no file.`,
  ]);
});

test('a global dependency that matches no file is a problem', () => {
  const turbo: TurboConfig = { ...repository.turbo, globalDependencies: ['tsconfig.json'] };
  expect(emptyPatterns({ ...repository, turbo })).toEqual(['The global dependency "tsconfig.json" matches no file.']);
  expect(unlistedFiles({ ...repository, turbo })).toContainEqual(
    'build of @parley/db reads tsconfig.base.json, which is not among its inputs in turbo.json.',
  );
});

test.each([
  ['docs/glossary.md', 'docs/glossary.md'],
  ['bench/results/latest.*', 'bench/results/latest.json'],
])('the docs build without the input %s is a problem', (pattern, file) => {
  const changed = withInputs('@parley/docs#build', (inputs) =>
    inputs.filter((one) => one !== `$TURBO_ROOT$/${pattern}`),
  );
  expect(unlistedFiles(changed)).toContainEqual(
    `build of @parley/docs reads ${file}, which is not among its inputs in turbo.json.`,
  );
});

test.each([
  [
    'reference-tables',
    '@parley/server#reference-tables',
    '@parley/server',
    'src/config/*.ts',
    'packages/server/src/config/variables.ts',
  ],
  ['generate', 'generate', '@parley/openapi', 'src/document/**', 'openapi/src/document/resolve.ts'],
  ['statements', '//#statements', '//', 'scripts/statement*.ts', 'scripts/statement-tags.ts'],
])('the script %s without an input that it imports is a problem: %s', (task, key, workspace, pattern, file) => {
  const changed = withInputs(key, (inputs) => inputs.filter((one) => one !== pattern));
  expect(unlistedFiles(changed)).toContainEqual(
    `${task} of ${workspace} reads ${file}, which is not among its inputs in turbo.json.`,
  );
});
