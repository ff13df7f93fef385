// Changes the compiled modules of the package in the current folder: see object-spreads.ts.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { globSync } from 'tinyglobby';
import { quickenSpreads } from './object-spreads.ts';

for (const file of globSync('dist/**/*.js', { ignore: 'dist/bundle/**' })) {
  const source = readFileSync(file, 'utf8');
  const map = existsSync(`${file}.map`) ? readFileSync(`${file}.map`, 'utf8') : undefined;
  const quick = quickenSpreads(source, map);
  if (!quick) continue;
  writeFileSync(file, quick.code);
  writeFileSync(`${file}.map`, quick.map);
}
