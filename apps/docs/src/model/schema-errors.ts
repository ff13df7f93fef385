import {
  describeExpected,
  describeLimits,
  listTypes,
  resolve,
  type SchemaObject,
  type WithComponents,
} from '@parley/openapi/document';

/** A schema error and its path: names of properties and indexes of entries, outermost first. */
export interface SchemaError {
  at: readonly (string | number)[];
  /** The rule that the value breaks: “must be an integer”. */
  says: string;
}

/** A schema error as a sentence. `whole` names the value as a whole. */
export function describeSchemaError({ at, says }: SchemaError, whole: string): string {
  const names = at.map((one) => (typeof one === 'number' ? `entry ${one}` : `"${one}"`)).toReversed();
  const subject = names.length === 0 ? whole : names.join(' of ');
  return `${subject.charAt(0).toUpperCase()}${subject.slice(1)} ${says}.`;
}

/** Finds the errors of a value that does not match its schema. */
export class SchemaErrorFinder {
  constructor(private readonly doc: WithComponents) {}

  find(value: unknown, node: SchemaObject, at: SchemaError['at'] = []): SchemaError[] {
    const schema = resolve(this.doc, node);
    const branches = schema.oneOf ?? schema.anyOf;
    if (branches) return this.inBranches(value, schema, branches, at);
    if (!this.isOfType(value, schema) || !isListed(value, schema)) return [this.expected(schema, at)];
    const own = [
      ...boundFaults(value, schema).map((says) => ({ at, says })),
      ...(schema.allOf ?? []).flatMap((part) => this.find(value, part, at)),
    ];
    if (own.length > 0 && schema['x-expects'] !== undefined) return [this.expected(schema, at)];
    return [...this.inside(value, schema, at), ...own];
  }

  private readonly expected = (schema: SchemaObject, at: SchemaError['at']): SchemaError => ({
    at,
    says: `must be ${describeExpected(this.doc, schema)}`,
  });

  /** The errors of the branch that matches best. If no branch does, the types of all branches are expected. */
  private inBranches(
    value: unknown,
    schema: SchemaObject,
    branches: readonly SchemaObject[],
    at: SchemaError['at'],
  ): SchemaError[] {
    const found = branches.map((branch) => ({ branch, errors: this.find(value, branch, at) }));
    if (found.some(({ errors }) => errors.length === 0)) return [];
    const meant = found.filter(({ branch }) => this.isOfType(value, branch));
    const [first, second] = meant.toSorted((a, b) => a.errors.length - b.errors.length);
    const isClear = first && first.errors.length !== second?.errors.length;
    const isDeeper = first?.errors.every((error) => error.at.length > at.length);
    return isClear && (isDeeper || schema['x-expects'] === undefined) ? first.errors : [this.expected(schema, at)];
  }

  private inside(value: unknown, schema: SchemaObject, at: SchemaError['at']): SchemaError[] {
    const { items, properties = {}, additionalProperties: others } = schema;
    if (Array.isArray(value)) return items ? value.flatMap((one, n) => this.find(one, items, [...at, n])) : [];
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([name, one]) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : others;
      if (property === false)
        return [{ at, says: `cannot have "${name}", only ${Object.keys(properties).join(', ')}` }];
      return typeof property === 'object' ? this.find(one, property, [...at, name]) : [];
    });
  }

  private isOfType(value: unknown, schema: SchemaObject): boolean {
    const types: string[] = listTypes(this.doc, schema);
    const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
    return types.length === 0 || types.includes(type) || (types.includes('integer') && Number.isInteger(value));
  }
}

function isListed(value: unknown, schema: SchemaObject): boolean {
  const values = schema.enum ?? ('const' in schema ? [schema.const] : undefined);
  return values === undefined || values.includes(value);
}

function boundFaults(value: unknown, schema: SchemaObject): string[] {
  if (typeof value === 'number') {
    const { minimum = value, maximum = value } = schema;
    return minimum <= value && value <= maximum ? [] : [`must be ${describeLimits(schema)}`];
  }
  if (typeof value === 'string') return textFaults(value, schema);
  if (Array.isArray(value)) return isBetween(value.length, schema.minItems, schema.maxItems) ? [] : [counted(schema)];
  if (typeof value !== 'object' || value === null) return [];
  return (schema.required ?? []).filter((name) => !(name in value)).map((name) => `lacks "${name}"`);
}

function textFaults(text: string, schema: SchemaObject): string[] {
  if (!isBetween([...text].length, schema.minLength, schema.maxLength)) return [counted(schema)];
  const isOfForm = schema.pattern === undefined || new RegExp(schema.pattern, 'u').test(text);
  return isOfForm ? [] : ['has characters that are not allowed, or lacks required ones'];
}

const isBetween = (size: number, from = 0, to = Number.POSITIVE_INFINITY): boolean => from <= size && size <= to;

function counted(schema: SchemaObject): string {
  const limits = describeLimits(schema);
  return limits === '' ? 'must not be empty' : `must have ${limits}`;
}
