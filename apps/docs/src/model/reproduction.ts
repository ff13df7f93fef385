import { type Document, type Example, operationsOf, type Recipe, resolve } from './document.ts';
import { pretty } from './json.ts';
import { fillParams } from './recipe.ts';
import { formatSentParams } from './response-examples.ts';

/** How a refusal came about when it was recorded: the calls, the last of which was refused. */
export interface Reproduction {
  title: string;
  steps: ReproductionStep[];
  json: string;
}

interface ReproductionStep {
  who: string;
  /** The operation; what only an operator does has a name, and no page. */
  id: string;
  summary?: string;
  /** Such as `POST /messages`. */
  address?: string;
  sent: string[];
}

/** By code: the first refusal that was recorded with its call. */
export function listReproductions(doc: Document): Map<string, Reproduction> {
  const found = new Map<string, Reproduction>();
  for (const { operation } of operationsOf(doc)) {
    const refused = Object.entries(operation.responses).filter(([status]) => status !== '200');
    for (const [, answer] of refused) {
      const examples = resolve(doc, answer).content?.['application/json']?.examples ?? {};
      for (const [code, example] of Object.entries(examples)) {
        if (!found.has(code) && example['x-request'])
          found.set(code, toReproduction(doc, operation.operationId, code, example));
      }
    }
  }
  return found;
}

function toReproduction(doc: Document, operation: string, code: string, example: Example): Reproduction {
  const given = example['x-given'] ?? [];
  const calls = [...given, { operation, ...example['x-request'] }];
  const answers = given.map((step) => step.answers);
  return {
    title: example.summary ?? code,
    steps: calls.map((call) => stepOf(doc, { ...call, params: fillParams(call.params ?? {}, answers) })),
    json: pretty(example.value),
  };
}

function stepOf(doc: Document, call: Recipe): ReproductionStep {
  const place = operationsOf(doc).find(({ operation }) => operation.operationId === call.operation);
  return {
    who: nameOf(call.as ?? 'hamlet'),
    id: call.operation ?? '',
    ...(place && {
      summary: place.operation.summary ?? place.operation.operationId,
      address: `${place.method.toUpperCase()} ${place.path}`,
    }),
    sent: formatSentParams(call),
  };
}

const NAMES: Record<string, string> = { nobody: 'Somebody without credentials', operator: 'The operator' };

const nameOf = (as: string): string => NAMES[as] ?? as.charAt(0).toUpperCase() + as.slice(1);
