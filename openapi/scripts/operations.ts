import {
  type Budget,
  type BundledDocument,
  formOf,
  type Node,
  type OperationEntry,
  operationsOf,
  resolve,
} from './document.ts';

type Kind = 'string' | 'integer' | 'number' | 'boolean' | 'null' | 'array' | 'object';

/** What the server must know about a parameter to undo its wire encoding, and that types cannot carry. */
interface Parameter {
  in: 'path' | 'query' | 'body';
  /** The JSON types its value may have, in the order the document gives them. */
  kinds: Kind[];
  required: boolean;
  /** In words, for refusals: "a list of integers". */
  expects: string;
  alias_of?: string;
  /** The code of a refusal of its value, where it is not BAD_REQUEST. */
  invalid?: string;
  /** It is a file, of at most this many bytes. */
  max_bytes?: number;
}

/** The facts about each operation, by operationId; literal paths before those with parameters. */
export function operationTable(doc: BundledDocument): Record<string, unknown> {
  const key = (place: OperationEntry) => place.path.replaceAll('{', '~');
  const sorted = operationsOf(doc).sort((a, b) => (key(a) < key(b) ? -1 : 1));
  return Object.fromEntries(sorted.map((place) => [place.operation.operationId, entry(doc, place)]));
}

function entry(doc: BundledDocument, { path, method, operation, parameters }: OperationEntry) {
  const roles = operation['x-roles'] ?? {};
  return {
    method,
    path,
    feature: operation.tags[0],
    auth: (operation.security ?? doc.security).length > 0 ? 'user' : 'none',
    realm: operation['x-realm'] ?? 'required',
    refuses: roles.refuses ?? [],
    requires: roles.requires ?? null,
    permission: roles.permission ?? null,
    limit: operation['x-rate-limit'] ?? 'account',
    takes_key: takesKey(doc, { method, operation }),
    streams: resolve(doc, operation.responses['200']).content?.['text/event-stream'] !== undefined,
    budget: budgetOf(doc, operation),
    params: { ...declared(doc, parameters), ...bodyFields(doc, operation) },
  };
}

function budgetOf(doc: BundledDocument, operation: Node): Budget {
  const budget = doc['x-budgets'][operation['x-budget']];
  if (!budget) throw new Error(`${operation.operationId}: x-budget must name a class of x-budgets.`);
  return budget;
}

/** Whether a client can name its request with an `Idempotency-Key`. */
export function takesKey(
  doc: BundledDocument,
  { method, operation }: Pick<OperationEntry, 'method' | 'operation'>,
): boolean {
  return method !== 'get' && (operation.security ?? doc.security).length > 0 && operation['x-repeatable'] !== true;
}

/** Headers are read where they are needed. */
export const isDecoded = (parameter: Node): boolean => parameter.in !== 'header';

function declared(doc: BundledDocument, parameters: Node[]): Record<string, Parameter> {
  return Object.fromEntries(
    parameters.filter(isDecoded).map((p) => {
      const schema = p.schema ?? p.content['application/json'].schema;
      return [p.name, parameter(doc, schema, p.in, p.required === true)];
    }),
  );
}

function bodyFields(doc: BundledDocument, operation: Node): Record<string, Parameter> {
  const schema = formOf(doc, operation);
  if (!schema) return {};
  const { properties, required } = fieldsOf(doc, schema);
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, parameter(doc, schema, 'body', required.has(name))]),
  );
  const files = Object.values(fields).filter(({ max_bytes }) => max_bytes !== undefined);
  // The server takes the one file part of a body for the file, whatever its name.
  if (files.length > 1) throw new Error(`${operation.operationId}: an operation can take only one file.`);
  return fields;
}

function parameter(doc: BundledDocument, node: Node, place: Parameter['in'], required: boolean): Parameter {
  const schema = resolve(doc, node);
  return {
    in: place,
    kinds: kinds(doc, schema),
    required,
    expects: words(doc, schema),
    ...(schema['x-alias-of'] && { alias_of: schema['x-alias-of'] }),
    ...(schema['x-invalid-code'] && { invalid: schema['x-invalid-code'] }),
    ...(schema.format === 'binary' && { max_bytes: schema['x-max-bytes'] }),
  };
}

/** The fields of a form, those of its parts included. */
export function fieldsOf(
  doc: BundledDocument,
  node: Node,
): { properties: Record<string, Node>; required: Set<string> } {
  const schema = resolve(doc, node);
  const parts = (schema.allOf ?? []).map((part: Node) => fieldsOf(doc, part));
  return {
    properties: Object.assign({}, ...parts.map((part: { properties: object }) => part.properties), schema.properties),
    required: new Set([
      ...parts.flatMap((part: { required: Set<string> }) => [...part.required]),
      ...(schema.required ?? []),
    ]),
  };
}

/** The JSON types that a value may have. */
export function kinds(doc: BundledDocument, node: Node): Kind[] {
  const schema = resolve(doc, node);
  const branches: Node[] = schema.oneOf ?? schema.anyOf ?? (schema.type === undefined ? schema.allOf : undefined) ?? [];
  if (branches.length > 0) return [...new Set(branches.flatMap((branch) => kinds(doc, branch)))];
  if (schema.type !== undefined) return [schema.type].flat();
  const values: unknown[] = schema.enum ?? ('const' in schema ? [schema.const] : []);
  if (values.length === 0) throw new Error(`A parameter needs a type: ${JSON.stringify(schema)}`);
  return [...new Set(values.map((value) => (typeof value === 'number' ? 'integer' : (typeof value as Kind))))];
}

/** A schema in words. `x-expects` overrides where a grammar says more than its schema. */
function words(doc: BundledDocument, node: Node): string {
  const schema = resolve(doc, node);
  if (schema['x-expects']) return schema['x-expects'];
  const branches: Node[] = schema.oneOf ?? schema.anyOf ?? [];
  if (branches.length > 0) return branches.map((branch) => words(doc, branch)).join(' or ');
  if (schema.type === undefined && schema.allOf?.length === 1) return words(doc, schema.allOf[0]);
  if (schema.enum && !schema['x-open-enum'])
    return `one of ${schema.enum.map((value: unknown) => JSON.stringify(value)).join(', ')}`;
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.type === undefined) throw new Error(`A parameter needs words, x-expects: ${JSON.stringify(schema)}`);
  const types: string[] = [schema.type].flat();
  return types.map((type) => typeInWords(doc, schema, type)).join(' or ');
}

function typeInWords(doc: BundledDocument, schema: Node, type: string): string {
  switch (type) {
    case 'array':
      return `a list${schema.maxItems ? ` of at most ${schema.maxItems}` : ''}, each ${words(doc, schema.items ?? {})}`;
    case 'integer':
      return `an integer${range(schema)}`;
    case 'string':
      return schema.maxLength ? `a text of at most ${schema.maxLength} characters` : 'a text';
    case 'boolean':
      return 'true or false';
    case 'object':
      return objectInWords(schema);
    default:
      return type === 'null' ? 'null' : `a ${type}`;
  }
}

const range = ({ minimum, maximum }: Node): string => {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` of at least ${minimum}`;
  return maximum !== undefined ? ` of at most ${maximum}` : '';
};

function objectInWords(schema: Node): string {
  const names = Object.keys(schema.properties ?? {});
  return names.length > 0 ? `an object with ${names.map((name) => `"${name}"`).join(', ')}` : 'an object';
}
