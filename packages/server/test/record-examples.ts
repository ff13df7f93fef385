import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseDocument } from 'yaml';

const features = new URL('../../../openapi/features/', import.meta.url);

/** With RECORD_EXAMPLES set, writes what really happened into examples.yaml, to be read before it is committed. */
export function recordExamples(operation: string, name: string, value: unknown, answers: readonly object[]): boolean {
  if (!process.env.RECORD_EXAMPLES) return false;
  for (const feature of readdirSync(features)) {
    const file = new URL(`${feature}/examples.yaml`, features);
    const yaml = read(file);
    if (!yaml?.hasIn([operation, name])) continue;
    yaml.setIn([operation, name, 'value'], yaml.createNode(value, { flow: false }));
    for (const [n, answer] of answers.entries()) {
      const place = [operation, name, 'x-given', n, 'answers'];
      if (Object.keys(answer).length > 0) yaml.setIn(place, yaml.createNode(answer, { flow: true }));
      else yaml.deleteIn(place);
    }
    writeFileSync(file, yaml.toString({ lineWidth: 0 }));
  }
  return true;
}

function read(file: URL) {
  try {
    return parseDocument(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
