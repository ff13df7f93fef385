import {
  type Document,
  type Example,
  findOperation,
  listErrorResponses,
  listOperations,
  type Recipe,
} from '@parley/openapi/document';
import { pretty } from './json.ts';
import { fillParams } from './recipe.ts';
import { formatSentParams } from './response-examples.ts';

/** The recorded calls that lead to an error. The last one fails. */
export interface Reproduction {
  title: string;
  steps: ReproductionStep[];
  json: string;
}

interface ReproductionStep {
  who: string;
  /** The operation. A step of an operator has a name and no page. */
  id: string;
  summary?: string;
  /** Such as `POST /messages`. */
  address?: string;
  sent: string[];
}

/** By code: the first error that was recorded with its call. */
export function listReproductions(doc: Document): Map<string, Reproduction> {
  const found = new Map<string, Reproduction>();
  for (const { operation } of listOperations(doc)) {
    for (const { examples } of listErrorResponses(doc, operation)) {
      for (const [code, example] of Object.entries(examples)) {
        if (!found.has(code) && example['x-request'])
          found.set(code, toReproduction(doc, operation.operationId, code, example));
      }
    }
  }
  return found;
}

function toReproduction(doc: Document, operation: string, code: string, example: Example): Reproduction {
  const recipes = example['x-given'] ?? [];
  const calls = [...recipes, { operation, ...example['x-request'] }];
  const responses = recipes.map((step) => step.answers);
  return {
    title: example.summary ?? code,
    steps: calls.map((call) => stepOf(doc, { ...call, params: fillParams(call.params ?? {}, responses) })),
    json: pretty(example.value),
  };
}

function stepOf(doc: Document, call: Recipe): ReproductionStep {
  const entry = findOperation(doc, call.operation);
  return {
    who: call.token === undefined ? nameOf(call.as ?? 'hamlet') : 'An application with the token',
    id: call.operation ?? '',
    ...(entry && {
      summary: entry.operation.summary ?? entry.operation.operationId,
      address: `${entry.method.toUpperCase()} ${entry.path}`,
    }),
    sent: formatSentParams(call),
  };
}

const NAMES: Record<string, string> = { nobody: 'A client without credentials', operator: 'The operator' };

const nameOf = (as: string): string => NAMES[as] ?? as.charAt(0).toUpperCase() + as.slice(1);
