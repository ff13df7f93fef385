import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseDocument } from 'yaml';

const features = new URL('../../../openapi/features/', import.meta.url);

/** With RECORD_EXAMPLES set, writes the responses into the YAML, to be reviewed before they are committed. */
export function recordExamples(operation: string, name: string, value: unknown, answers: readonly object[]): boolean {
  return record('examples.yaml', [operation, name], (yaml) => {
    yaml.setIn([operation, name, 'value'], yaml.createNode(value, { flow: false }));
    for (const [n, answer] of answers.entries()) {
      const path = [operation, name, 'x-given', n, 'answers'];
      if (Object.keys(answer).length > 0) yaml.setIn(path, yaml.createNode(answer, { flow: true }));
      else yaml.deleteIn(path);
    }
  });
}

/** The same for delivered events. */
export const recordEvent = (schema: string, name: string, value: unknown): boolean =>
  record('event-examples.yaml', [schema, name], (yaml) => {
    yaml.setIn([schema, name, 'value'], yaml.createNode(value, { flow: false }));
  });

function record(files: string, path: readonly string[], change: (yaml: YamlFile) => void): boolean {
  if (!process.env.RECORD_EXAMPLES) return false;
  for (const feature of readdirSync(features)) {
    const file = new URL(`${feature}/${files}`, features);
    const yaml = read(file);
    if (!yaml?.hasIn(path)) continue;
    change(yaml);
    writeFileSync(file, yaml.toString({ lineWidth: 0 }));
  }
  return true;
}

type YamlFile = ReturnType<typeof parseDocument>;

function read(file: URL) {
  try {
    return parseDocument(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
