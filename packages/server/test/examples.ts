// The examples of the document, as things to execute: who calls what after which calls, and what comes back.
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
  given: Recipe[];
  value: unknown;
}

export const document = readDocument();

export interface DocumentedOperation extends OperationEntry {
  id: string;
  responses: ResponseEntry[];
  examples: RecordedExample[];
  /** Codes that the operation documents itself, beyond what every operation shares. */
  codes: string[];
}

/** The code that every operation shares, and that one operation documents in a response of its own. */
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

/** What a queue delivers, and how it came about. Where nothing can be called for it, the example is written by hand. */
export interface EventExample {
  schema: string;
  name: string;
  type: string;
  /** Values that `op` can have; none where events of the type have no `op`. */
  ops: string[];
  by: string;
  request: Recipe | undefined;
  given: Recipe[];
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
    given: recipe['x-given'] ?? [],
    value: { ...(examples[n] as object), id: recipe.id },
  }));
});

function examplesOf(operation: string, { status, examples }: ResponseEntry): RecordedExample[] {
  return Object.entries(examples).map(([name, example]) => ({
    operation,
    name,
    status: Number(status),
    request: example['x-request'] ?? {},
    given: example['x-given'] ?? [],
    value: example.value,
  }));
}

/** An error response that every operation can have, with the call that led to it. */
export type SharedExample = Example & { value: { code: string }; 'x-request': Recipe };

export const sharedExamples: Record<string, SharedExample> = Object.assign(
  {},
  ...Object.values(document.components.responses ?? {}).map(({ content }) => content?.[JSON_TYPE]?.examples ?? {}),
);
