// For `node --import`: writes the path of every file that Node loads as code to the file that RECORD_LOADING names.
import { appendFileSync, writeFileSync } from 'node:fs';
import { createRequire, register } from 'node:module';

const record = process.env.RECORD_LOADING;
writeFileSync(record, '');
const hooks = `
  import { appendFileSync } from 'node:fs';
  import { fileURLToPath } from 'node:url';
  export function load(url, context, next) {
    if (url.startsWith('file:')) appendFileSync(${JSON.stringify(record)}, fileURLToPath(url) + '\\n');
    return next(url, context);
  }`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
// What is required does not pass the hooks.
const { cache } = createRequire(import.meta.url);
process.on('exit', () =>
  appendFileSync(
    record,
    Object.keys(cache)
      .map((path) => `${path}\n`)
      .join(''),
  ),
);
