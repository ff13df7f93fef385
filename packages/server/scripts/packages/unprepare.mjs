import { existsSync, renameSync, rmSync } from 'node:fs';

const own = new URL('../../', import.meta.url);

/** What prepack.mjs makes. Git ignores it. */
export const PACKED_DOCS = new URL('docs/', own);
/** The attributions of the repository. */
export const PACKED_NOTICE = new URL('NOTICE', own);
export const SHRINKWRAP = new URL('npm-shrinkwrap.json', own);
/** The package.json of the repository, while the one to publish is in its place. */
export const SAVED_MANIFEST = new URL('package.json.kept', own);

/** Takes away what prepack.mjs made, also when it or npm was ended in the middle. */
export function unprepare() {
  if (existsSync(SAVED_MANIFEST)) renameSync(SAVED_MANIFEST, new URL('package.json', own));
  rmSync(SHRINKWRAP, { force: true });
  rmSync(PACKED_NOTICE, { force: true });
  rmSync(PACKED_DOCS, { recursive: true, force: true });
}
