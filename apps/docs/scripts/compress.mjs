// Puts beside each text of the pages the same, compressed: once here, and not for everyone who asks.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const pages = new URL('../dist/', import.meta.url);
/** Bytes; less goes in one packet either way. */
const WORTHWHILE = 1024;

for (const name of readdirSync(pages, { recursive: true })) {
  if (!/\.(html|css|js|json|md|svg|txt|xml)$/.test(name)) continue;
  const file = new URL(name.replaceAll('\\', '/'), pages);
  const text = readFileSync(file);
  if (text.length >= WORTHWHILE) writeFileSync(new URL(`${file}.gz`), gzipSync(text, { level: 9 }));
}
