import {
  type ChangeNote,
  type Document,
  describeConstraints,
  describeType,
  getProperties,
  getSchemaName,
  listValues,
  resolve,
  type SchemaObject,
} from '@parley/openapi/document';

/** A parameter or a property, as the pages show it. */
export interface Field {
  name: string;
  /** Such as "array of integers". */
  type: string;
  required: boolean;
  deprecated: boolean;
  description: string;
  limits: string;
  /** Its possible values in their encoding, if the document lists them. */
  values: string[];
  /** In its encoding. */
  default?: string;
  aliasOf?: string;
  /** The code of the error for an invalid value, if it is not BAD_REQUEST. */
  invalidCode?: string;
  changes: ChangeNote[];
  /** The name of its object, or of the object of its items, if that has a page. */
  object?: string;
  /** The fields of the object, or of each object in the array. */
  fields: Field[];
}

const DEEPEST = 3;

/** The properties of an object schema, those of its `allOf` parts included, in the document's order. */
export function fieldsOf(doc: Document, node: SchemaObject, depth = 0): Field[] {
  const { properties, required } = getProperties(doc, node);
  return Object.entries(properties).map(([name, schema]) => fieldOf(doc, name, schema, required.has(name), depth));
}

export function fieldOf(doc: Document, name: string, node: SchemaObject, required: boolean, depth = 0): Field {
  const schema = flattened(doc, node);
  const object = namedObject(doc, node);
  return {
    name,
    type: describeType(doc, schema),
    required,
    deprecated: schema.deprecated === true,
    description: schema.description ?? '',
    limits: describeConstraints(schema),
    values: schema['x-expects'] === undefined ? listValues(schema).map(shown) : [],
    ...('default' in schema && { default: shown(schema.default) }),
    ...(schema['x-alias-of'] !== undefined && { aliasOf: schema['x-alias-of'] }),
    ...(schema['x-invalid-code'] !== undefined && { invalidCode: schema['x-invalid-code'] }),
    changes: schema['x-changes'] ?? [],
    ...(object !== undefined && { object }),
    fields: depth < DEEPEST ? inner(doc, schema, depth + 1) : [],
  };
}

/** The name of the object that a schema refers to, through lists, maps, and unions with nothing. */
function namedObject(doc: Document, node: SchemaObject): string | undefined {
  const name = getSchemaName(node);
  if (name !== undefined && isObject(doc, name)) return name;
  const { items, allOf = [], anyOf, oneOf, additionalProperties: values } = node;
  const inside = [items, typeof values === 'object' ? values : undefined, allOf.length === 1 ? allOf[0] : undefined];
  const parts = [...inside, ...(anyOf ?? oneOf ?? [])].filter((part) => part !== undefined);
  const names = parts.map((part) => namedObject(doc, part)).filter((found) => found !== undefined);
  return names[0] ?? (name === undefined ? undefined : namedObject(doc, doc.components.schemas[name] ?? {}));
}

const isPlain = new WeakMap<Document, Set<string>>();

/** Whether an object has its own page. Errors and events have other pages. */
export function isObject(doc: Document, name: string): boolean {
  const known = isPlain.get(doc) ?? objectNames(doc);
  isPlain.set(doc, known);
  return known.has(name);
}

const ENVELOPES = ['Success', 'Error', 'Event', 'Delivered'];

function objectNames(doc: Document): Set<string> {
  const { schemas } = doc.components;
  const elsewhere = new Set(ENVELOPES);
  const visit = (schema: SchemaObject | undefined): void => {
    for (const branch of [...(schema?.oneOf ?? []), ...(schema?.anyOf ?? [])]) {
      const name = getSchemaName(branch);
      if (name === undefined || elsewhere.has(name)) continue;
      elsewhere.add(name);
      visit(schemas[name]);
    }
  };
  for (const name of ['Error', 'Event', 'Delivered']) visit(schemas[name]);
  const hasFields = (schema: SchemaObject) => Object.keys(getProperties(doc, schema).properties).length > 0;
  // The body of one request is on the page of its operation.
  const hasPage = (name: string, schema: SchemaObject) => !elsewhere.has(name) && schema['x-request-of'] === undefined;
  const named = Object.entries(schemas).filter(([name, schema]) => hasPage(name, schema) && hasFields(schema));
  return new Set(named.map(([name]) => name));
}

/** A value in its encoding: a string as it is, all other values as JSON. */
const shown = (value: unknown): string => (typeof value === 'string' && value !== '' ? value : JSON.stringify(value));

/** A schema with one `allOf` part becomes that part, with the other keywords of the schema. */
function flattened(doc: Document, node: SchemaObject): SchemaObject {
  const schema = resolve(doc, node);
  const only = schema.allOf?.length === 1 ? schema.allOf[0] : undefined;
  if (!only) return schema;
  const { allOf: _, ...beside } = schema;
  return { ...flattened(doc, only), ...beside };
}

function inner(doc: Document, schema: SchemaObject, depth: number): Field[] {
  if (schema.items) return inner(doc, flattened(doc, schema.items), depth);
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches) {
    const found = branches.map((branch) => inner(doc, flattened(doc, branch), depth));
    return found.find((fields) => fields.length > 0) ?? [];
  }
  const own = fieldsOf(doc, schema, depth);
  if (own.length > 0) return own;
  return typeof schema.additionalProperties === 'object'
    ? inner(doc, flattened(doc, schema.additionalProperties), depth)
    : [];
}
