import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BASE } from '../model/urls.ts';

/** The built files with this suffix, by their address: `/docs/index.html` and so on. */
export function readPages(root: string, suffix: '.html' | '.md'): Map<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(suffix));
  return new Map(
    names.map((name) => [`${BASE}/${name.replaceAll('\\', '/')}`, readFileSync(join(root, name), 'utf8')]),
  );
}
