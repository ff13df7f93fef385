// Fails when a name or a text uses a word that docs/glossary.md has retired, or two exported types have the same name.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFiles, root } from './read-files.ts';
import { report } from './report.ts';
import { RETIRED_IDIOMS, RETIRED_MAIL_TEXT, RETIRED_TEXT } from './retired-words.ts';
import {
  findIdioms,
  findRetiredComponents,
  findRetiredLocals,
  findRetiredNames,
  findRetiredProse,
  findSharedTypeNames,
  onlyProse,
  onlyTexts,
  withoutCode,
} from './words.ts';

const sources = readFiles('*.ts');
const { components } = JSON.parse(readFileSync(join(root, 'openapi/generated/openapi.json'), 'utf8')) as {
  components: Record<string, object>;
};
const documents = readFiles('openapi/openapi.yaml', 'openapi/features', 'openapi/shared').filter(
  ({ path }) => path.endsWith('.yaml') && !path.endsWith('examples.yaml'),
);

/** The glossary and the changelog name words that are gone. */
const pages = readFiles('*.md', '*.mdx')
  .filter(({ path }) => !['docs/glossary.md', 'CHANGELOG.md'].includes(path))
  .map(({ path, text }) => ({ path, text: withoutCode(text) }));

const server = sources.filter(
  ({ path }) => path.startsWith('packages/server/src/') && !/\.test\.ts$|\/generated\//.test(path),
);

/** Parts of the server whose texts are about mail, or about the whole server. */
const WITH_MAIL_TEXTS = /^packages\/server\/src\/(cli|config|mail|features\/(mail|incoming-mail))\//;

/** Texts that users of the demo organization write, and an entry of the audit log, whose old rows stay. */
const WITHOUT_TEXTS = /\/(user-admin\/demo|user-settings\/new-users)\.ts$/;
const serverTexts = server.filter(({ path }) => !WITHOUT_TEXTS.test(path)).map(onlyTexts);

const benchmarks = sources.filter(({ path }) => path.startsWith('bench/'));

const libraries = sources.filter(
  ({ path }) =>
    /^(packages\/(client|db)\/src|openapi|apps\/docs\/src|scripts)\//.test(path) &&
    !/\.test\.ts$|\/generated\//.test(path),
);

/** The programs whose comments readers see as well: the documentation site, the generator, the client and the command line. */
const documented = sources.filter(
  ({ path }) =>
    /^(apps\/docs\/src|openapi\/(scripts|src)|packages\/client\/src|packages\/server\/src\/cli)\//.test(path) &&
    !/\.test\.ts$|\/generated\/|\/cli\/populate\//.test(path),
);
const templates = readFiles('apps/docs/src').filter(({ path }) => /\.(astro|css)$/.test(path));

/** Pages for readers of the documentation and of the repository. Decisions keep the words of their time. */
const guides = pages.filter(({ path }) => !path.startsWith('docs/adr/') && !path.endsWith('statements.md'));

const deployment = readFiles('deploy').filter(({ path }) => !/\/test\/|\.json$|\.ts$/.test(path));

report('Words', [
  ...findRetiredNames(sources),
  ...findSharedTypeNames(sources),
  ...findRetiredComponents(components),
  ...findRetiredProse([...documents, ...pages]),
  ...findRetiredProse(
    [...serverTexts.filter(({ path }) => !WITH_MAIL_TEXTS.test(path)), ...benchmarks.map(onlyTexts)],
    RETIRED_TEXT,
  ),
  ...findRetiredProse(
    [...serverTexts.filter(({ path }) => WITH_MAIL_TEXTS.test(path)), ...deployment],
    RETIRED_MAIL_TEXT,
  ),
  ...findRetiredProse([...documented.map(onlyProse), ...templates, ...guides], RETIRED_IDIOMS),
  ...findRetiredLocals([...server, ...benchmarks, ...libraries]),
  ...findIdioms(server),
]);
