import {
  describeExpected,
  describeLimits,
  listTypes,
  resolve,
  type SchemaObject,
  type WithComponents,
} from '@parley/openapi/document';

/** Something wrong, and where: names of properties and numbers of entries, from the outside in. */
export interface SchemaError {
  at: readonly (string | number)[];
  /** The rule that the value breaks: “must be an integer”. */
  says: string;
}

/** A fault as a sentence. `whole` is what the value as a whole is called. */
export function describeSchemaError({ at, says }: SchemaError, whole: string): string {
  const names = at.map((one) => (typeof one === 'number' ? `entry ${one}` : `"${one}"`)).toReversed();
  const subject = names.length === 0 ? whole : names.join(' of ');
  return `${subject.charAt(0).toUpperCase()}${subject.slice(1)} ${says}.`;
}

/** Finds what is wrong with a value that is not as its schema says. */
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

  /** Of several branches, what is wrong with the one that is meant; if that is not clear, what they are together. */
  private inBranches(
    value: unknown,
    schema: SchemaObject,
    branches: readonly SchemaObject[],
    at: SchemaError['at'],
  ): SchemaError[] {
    const found = branches.map((branch) => ({ branch, faults: this.find(value, branch, at) }));
    if (found.some(({ faults }) => faults.length === 0)) return [];
    const meant = found.filter(({ branch }) => this.isOfType(value, branch));
    const [first, second] = meant.toSorted((a, b) => a.faults.length - b.faults.length);
    const isClear = first && first.faults.length !== second?.faults.length;
    const isDeeper = first?.faults.every((fault) => fault.at.length > at.length);
    return isClear && (isDeeper || schema['x-expects'] === undefined) ? first.faults : [this.expected(schema, at)];
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
  return isOfForm ? [] : ['has letters that it cannot have, or lacks some'];
}

const isBetween = (size: number, from = 0, to = Number.POSITIVE_INFINITY): boolean => from <= size && size <= to;

function counted(schema: SchemaObject): string {
  const limits = describeLimits(schema);
  return limits === '' ? 'must not be empty' : `must have ${limits}`;
}
