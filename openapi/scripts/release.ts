// Keeps the document as it is, for later ones to be compared with. Part of making a release.
import { readFileSync, writeFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import { type Document, JSON_TYPE } from '../src/document/index.ts';

const HEADER =
  '# The API as it was released last, without examples. Written by `npm run release -w @parley/openapi`.\n';
const at = (path: string) => new URL(`../${path}`, import.meta.url);

const document = parse(readFileSync(at('generated/openapi.yaml'), 'utf8'));
const text = stringify(withoutExamples(document), { aliasDuplicateObjects: false, lineWidth: 120 });
writeFileSync(at('released/openapi.yaml'), HEADER + text);
console.log(`Feature level ${document.info.version} is the released one.`);

/** They are many times what they illustrate, and the tests verify them. */
function withoutExamples(doc: Document): Document {
  const bare = structuredClone(doc);
  for (const content of listJsonContents(bare)) delete content.examples;
  for (const schema of Object.values(bare.components.schemas)) {
    if (schema['x-recorded'] === undefined) continue;
    delete schema.examples;
    delete schema['x-recorded'];
  }
  return bare;
}

function listJsonContents(node: unknown): { examples?: unknown }[] {
  if (node === null || typeof node !== 'object') return [];
  const own = Object.entries(node).flatMap(([key, child]) => (key === JSON_TYPE ? [child] : []));
  return [...own, ...Object.values(node).flatMap(listJsonContents)];
}
