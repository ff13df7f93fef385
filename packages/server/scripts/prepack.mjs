// Before `npm pack`: puts beside the server what it needs without a clone. postpack.mjs takes it away again.
import { copyFileSync, cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { publishedManifest, shrinkwrap } from './packages/production-lock.mjs';
import { PACKED_DOCS, PACKED_NOTICE, SAVED_MANIFEST, SHRINKWRAP, unprepare } from './packages/unprepare.mjs';

const own = new URL('../', import.meta.url);
const root = new URL('../../', own);
const docs = new URL('apps/docs/dist/', root);
const read = (url) => JSON.parse(readFileSync(url, 'utf8'));
const write = (url, value) => writeFileSync(url, `${JSON.stringify(value, null, 2)}\n`);

for (const built of [new URL('dist/cli/index.js', own), new URL('index.html', docs)]) {
  if (existsSync(built)) continue;
  process.stderr.write('Parley is not built yet: run npm run build first.\n');
  process.exit(1);
}
unprepare();
try {
  const manifest = read(new URL('package.json', own));
  const lock = read(new URL('package-lock.json', root));
  cpSync(docs, PACKED_DOCS, { recursive: true });
  copyFileSync(new URL('NOTICE', root), PACKED_NOTICE);
  write(SHRINKWRAP, shrinkwrap(manifest, lock));
  copyFileSync(new URL('package.json', own), SAVED_MANIFEST);
  write(new URL('package.json', own), publishedManifest(manifest, lock));
} catch (error) {
  unprepare();
  throw error;
}
