import {
  type Document,
  type Example,
  FORM_TYPE,
  getSuccessResponse,
  JSON_TYPE,
  listOperations,
  type OperationEntry,
  type Recipe,
  resolve,
} from '../src/document/index.ts';

/**
 * Examples of requests, for tools that know no `x-request`: a tool that imports the document, such as Postman, begins with
 * a request that succeeds. They are the requests of the examples of success.
 */
export function addRequestExamples(doc: Document): void {
  for (const entry of listOperations(doc)) {
    const requests = listRequests(doc, entry);
    addParameterExamples(entry, requests);
    addBodyExamples(doc, entry, requests);
  }
}

interface RequestExample {
  readonly name: string;
  readonly summary: string | undefined;
  readonly params: Record<string, unknown>;
}

function listRequests(doc: Document, { operation }: OperationEntry): RequestExample[] {
  return Object.entries(getSuccessResponse(doc, operation).examples).flatMap(([name, example]) =>
    example['x-request'] && isPlain(example['x-request'])
      ? [{ name, summary: example.summary, params: withEarlierValues(example['x-request'].params ?? {}, example) }]
      : [],
  );
}

/** Whether the request is the operation's own, with no files and no raw body. */
const isPlain = ({ operation, files, body_text }: Recipe): boolean => !operation && !files && body_text === undefined;

/** A parameter has one example, which the operations of its path share. */
function addParameterExamples({ parameters }: OperationEntry, requests: readonly RequestExample[]): void {
  for (const parameter of parameters) {
    if (parameter.in === 'header' || 'example' in parameter) continue;
    const value = requests.map(({ params }) => params[parameter.name]).find((one) => one !== undefined);
    if (value === undefined) continue;
    parameter.example = parameter.schema?.contentMediaType === JSON_TYPE ? JSON.stringify(value) : value;
  }
}

function addBodyExamples(doc: Document, entry: OperationEntry, requests: readonly RequestExample[]): void {
  const { content = {} } = resolve(doc, entry.operation.requestBody ?? {});
  const inUrl = new Set(entry.parameters.map(({ name }) => name));
  const bodies = requests.map(({ name, summary, params }): [string, Example] => [
    name,
    {
      ...(summary !== undefined && { summary }),
      value: Object.fromEntries(Object.entries(params).filter(([field]) => !inUrl.has(field))),
    },
  ]);
  if (bodies.length === 0) return;
  for (const [type, media] of Object.entries(content))
    if (type === JSON_TYPE || type === FORM_TYPE) media.examples = Object.fromEntries(bodies);
}

/** With the values of responses before it, where the request names them as `$given.0.id`. */
function withEarlierValues(
  params: Record<string, unknown>,
  { 'x-given': steps = [] }: Example,
): Record<string, unknown> {
  const fill = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value === 'object' && value !== null) return mapValues(value, fill);
    if (typeof value !== 'string') return value;
    if (value.startsWith('$given.')) return findEarlier(value, steps);
    return value.replaceAll(/\$given[\w.]+/g, (name) => String(findEarlier(name, steps)));
  };
  return mapValues(params, fill);
}

const mapValues = (object: object, change: (value: unknown) => unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));

function findEarlier(name: string, steps: readonly Recipe[]): unknown {
  const [, step, ...keys] = name.split('.');
  const value = keys.reduce<unknown>(
    (at, key) => (at as Record<string, unknown> | undefined)?.[key],
    steps[Number(step)]?.answers,
  );
  if (value === undefined) throw new Error(`An example names ${name}, which no recorded response has.`);
  return value;
}
