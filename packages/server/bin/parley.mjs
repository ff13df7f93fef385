#!/usr/bin/env node
import { existsSync } from 'node:fs';

const program = new URL('../dist/bundle/parley.js', import.meta.url);
if (!existsSync(program)) {
  process.stderr.write('Parley is not built yet: run npm run build first.\n');
  process.exit(2);
}
const { main } = await import(program.href);
const code = await main(process.argv.slice(2));
// What was printed must be out before the process ends.
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
