// Compares the document with the one that was released last. Run by `npm run contract`.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { unannounced } from './changes.ts';

const read = (path: string) => parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'));

const problems = unannounced(read('released/openapi.yaml'), read('generated/openapi.yaml'));
for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  console.error('\nCONTRIBUTING.md says under "Change the API" what to do.');
  process.exit(1);
}
console.log('The API is as released, or says how it differs.');
