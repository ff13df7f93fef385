// Compiles the validators of requests and responses. Run by `npm run generate`; what it writes is not committed.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { compileDocument } from '../src/http/validator/compile/compile.ts';

const document = new URL('../../../openapi/generated/openapi.json', import.meta.url);
const out = new URL('../generated/validators/', import.meta.url);

const { operations, modules } = compileDocument(JSON.parse(readFileSync(document, 'utf8')));
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
for (const [name, code] of modules) writeFileSync(new URL(`${name}.cjs`, out), code);
writeFileSync(new URL('operations.json', out), `${JSON.stringify(operations)}\n`);
