import { readFileSync } from 'node:fs';
import type { Document } from './document/index.ts';
import type { operations as ClientOperations, components, paths } from './generated/client.ts';
import type { components as ServerComponents, operations as ServerOperations } from './generated/server.ts';

export { userSettingDefaults } from './generated/defaults.ts';
export { operations } from './generated/operations.ts';
export type { ClientOperations, components, paths, ServerComponents, ServerOperations };

/** The bundled document, as the validator and the docs read it. */
export const documentFile = new URL('../generated/openapi.json', import.meta.url);
export const documentYamlFile = new URL('../generated/openapi.yaml', import.meta.url);

/** Reads the bundled document. */
export function readDocument(): Document {
  return JSON.parse(readFileSync(documentFile, 'utf8')) as Document;
}
