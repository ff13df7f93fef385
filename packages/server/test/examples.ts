// The examples of the document as requests to carry out: the caller, the calls before, and the response.
import { readDocument } from '@parley/openapi';
import {
  type Example,
  getConstant,
  getSchemaName,
  JSON_TYPE,
  listOperations,
  listResponses,
  listValues,
  type OperationEntry,
  type Recipe,
  type ResponseEntry,
} from '@parley/openapi/document';

export interface RecordedExample {
  operation: string;
  name: string;
  status: number;
  request: Recipe;
  recipes: Recipe[];
  value: unknown;
}

export const document = readDocument();

export interface DocumentedOperation extends OperationEntry {
  id: string;
  responses: ResponseEntry[];
  examples: RecordedExample[];
  /** Codes that the operation documents itself, beyond those of every operation. */
  codes: string[];
}

/** The code of every operation that one operation documents in a response of its own. */
const EVERYWHERE = 'SERVICE_UNAVAILABLE';

export const operations: DocumentedOperation[] = listOperations(document).map((entry) => {
  const id = entry.operation.operationId;
  const responses = listResponses(document, entry.operation);
  const own = responses.filter(({ component }) => component === undefined || component === 'Done');
  return {
    ...entry,
    id,
    responses,
    examples: own.flatMap((response) => examplesOf(id, response)).filter(({ name }) => name !== EVERYWHERE),
    codes: own.flatMap(({ codes }) => codes).filter((code) => code !== EVERYWHERE),
  };
});

/** An event of a queue, and the call that caused it. Where no call can cause it, the example is written by hand. */
export interface EventExample {
  schema: string;
  name: string;
  type: string;
  /** Values that `op` can have; none where events of the type have no `op`. */
  ops: string[];
  by: string;
  request: Recipe | undefined;
  recipes: Recipe[];
  value: unknown;
}

export const eventExamples: EventExample[] = (document.components.schemas.Event?.oneOf ?? []).flatMap((reference) => {
  const schema = getSchemaName(reference) ?? '';
  const { properties, examples = [], 'x-recorded': recorded = [] } = document.components.schemas[schema] ?? {};
  return recorded.map((recipe, n) => ({
    schema,
    name: recipe.name,
    type: String(getConstant(document, reference, 'type')),
    ops: listValues(properties?.op ?? {}).map(String),
    by: recipe['x-heard-by'] ?? 'hamlet',
    request: recipe['x-request'],
    recipes: recipe['x-given'] ?? [],
    value: { ...(examples[n] as object), id: recipe.id },
  }));
});

function examplesOf(operation: string, { status, examples }: ResponseEntry): RecordedExample[] {
  return Object.entries(examples).map(([name, example]) => ({
    operation,
    name,
    status: Number(status),
    request: example['x-request'] ?? {},
    recipes: example['x-given'] ?? [],
    value: example.value,
  }));
}

/** An error response of every operation, with the call that led to it. */
export type SharedExample = Example & { value: { code: string }; 'x-request': Recipe };

export const sharedExamples: Record<string, SharedExample> = Object.assign(
  {},
  ...Object.values(document.components.responses ?? {}).map(({ content }) => content?.[JSON_TYPE]?.examples ?? {}),
);
