import type { Document, SchemaObject } from '../src/document/index.ts';

/** The part of the state that has each property which `x-parts` does not list. */
const REST = 'realm';

/** A type with the properties of the state by what fetches them. */
export function statePartTypes({ components: { schemas } }: Pick<Document, 'components'>): string {
  const { properties = {}, 'x-parts': listed = {} } = (schemas.State ?? {}) as SchemaObject & {
    'x-parts'?: Record<string, string[]>;
  };
  const known = Object.values(listed).flat();
  const unknown = known.filter((name) => !(name in properties));
  if (unknown.length > 0) throw new Error(`x-parts of State names what does not exist: ${unknown.join(', ')}`);
  const parts = { ...listed, [REST]: Object.keys(properties).filter((name) => !known.includes(name)) };
  const missing = ((schemas.StateType?.enum ?? []) as string[]).filter((type) => !(type in parts));
  if (missing.length > 0) throw new Error(`x-parts of State says nothing of ${missing.join(', ')}`);
  const lines = Object.entries(parts).map(
    ([type, names]) => `  ${type}: ${names.map((name) => `'${name}'`).join(' | ')};`,
  );
  return `/** The properties of the state by what fetches them. */
export interface StateParts {
${lines.join('\n')}
}
`;
}
