// `npx parley` outside an installation fetches another package of that name: texts name `@parley/server`, or the installed `parley`.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** `npx`, options, and then the short name, however it is written into a text or a list of arguments. */
const SHORT_NAME = `(npx|npm exec|npm x)['",[[:space:]]+(-[-a-z=]+['",[:space:]]+)*parley([^-/[:alnum:]]|$)`;
const OWN = ':!packages/server/scripts/check-names.mjs';

/** The lines that `git grep` finds, in files that are new as well. */
function find() {
  try {
    const flags = ['--untracked', '--line-number', '--extended-regexp', '-I'];
    return execFileSync('git', ['grep', ...flags, SHORT_NAME, '--', '.', OWN], { cwd: root, encoding: 'utf8' });
  } catch (error) {
    if (error.status === 1) return '';
    throw error;
  }
}

const found = find();
if (found !== '') {
  process.stderr.write(
    `${found}Write npx @parley/server, or the installed parley: npx parley fetches another package.\n`,
  );
  process.exitCode = 1;
}
