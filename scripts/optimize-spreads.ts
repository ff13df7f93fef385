// Changes the compiled modules of the package in the current folder: see object-spreads.ts.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { globSync } from 'tinyglobby';
import { optimizeSpreads } from './object-spreads.ts';

for (const file of globSync('dist/**/*.js', { ignore: 'dist/bundle/**' })) {
  const source = readFileSync(file, 'utf8');
  const map = existsSync(`${file}.map`) ? readFileSync(`${file}.map`, 'utf8') : undefined;
  const optimized = optimizeSpreads(source, map);
  if (!optimized) continue;
  writeFileSync(file, optimized.code);
  writeFileSync(`${file}.map`, optimized.map);
}
