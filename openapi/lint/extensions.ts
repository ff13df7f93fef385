// Rules of the extensions that the server and the pages read: budgets, scopes and notes of changes.
import {
  BAD_REQUEST,
  type Budget,
  callerKinds,
  type Document,
  getProperties,
  getSuccessResponse,
  listOperations,
  listReasons,
  listResponses,
  type OperationEntry,
  type ResponseEntry,
} from '../src/document/index.ts';
import { type DocumentProblem, pathOf } from './problem.ts';

const BUDGET_LIMITS = ['body', 'response'] as const;

/** Every operation names its budget; a budget limits the request body and the response, and pages are of a budget with `serial`. */
export function findBudgetProblems(doc: Document): DocumentProblem[] {
  const budgets = doc['x-budgets'] ?? {};
  const isLimit = (value: number) => Number.isInteger(value) && value >= 0;
  const incomplete = Object.entries(budgets).flatMap(([name, budget]) => {
    const wrong = BUDGET_LIMITS.filter((limit) => !isLimit(budget[limit]));
    if (wrong.length === 0) return [];
    const message = `The budget \`${name}\` needs an integer for ${wrong.join(', ')}.`;
    return [{ message, path: ['x-budgets', name] }];
  });
  return [...incomplete, ...listOperations(doc).flatMap((entry) => findOwnBudgetProblems(doc, entry, budgets))];
}

/** What the responses have that stop at the limit of the budget. */
const PAGED = ['has_more', 'found_oldest', 'found_newest'];

function findOwnBudgetProblems(
  doc: Document,
  entry: OperationEntry,
  budgets: Record<string, Budget>,
): DocumentProblem[] {
  const { operationId, requestBody, 'x-budget': name = '' } = entry.operation;
  const budget = budgets[name];
  if (!budget) {
    const message = `${operationId} needs an x-budget that x-budgets at the root describes.`;
    return [{ message, path: pathOf(entry) }];
  }
  if (!budget.serial && hasPages(doc, entry)) {
    const message = `${operationId} has pages; its x-budget needs \`serial: true\`.`;
    return [{ message, path: pathOf(entry, 'x-budget') }];
  }
  if (!requestBody || budget.body !== 0) return [];
  const message = `${operationId} takes a request body; its x-budget allows none.`;
  return [{ message, path: pathOf(entry, 'x-budget') }];
}

function hasPages(doc: Document, { operation }: OperationEntry): boolean {
  const { schema } = getSuccessResponse(doc, operation);
  return schema !== undefined && PAGED.some((name) => name in getProperties(doc, schema).properties);
}

const SCOPES = ['read', 'write', 'admin', 'key'];

/** Every operation with credentials says which scope a token needs, or that no token will do, and documents the error response. */
export function findScopeProblems(doc: Document): DocumentProblem[] {
  return listOperations(doc).flatMap((entry) =>
    listScopeFaults(doc, entry).map((fault) => ({
      message: `${entry.operation.operationId}: ${fault}`,
      path: pathOf(entry),
    })),
  );
}

function listScopeFaults(doc: Document, { operation }: OperationEntry): string[] {
  const security = operation.security ?? doc.security ?? [];
  const { 'x-scope': scope, 'x-token-limit': limit, responses } = operation;
  if (security.length === 0) return scope === undefined ? [] : ['x-scope is for operations with credentials.'];
  if (scope === undefined || !SCOPES.includes(scope)) return [`x-scope must be one of ${SCOPES.join(', ')}.`];
  const takesTokens = security.some((requirement) => requirement.token !== undefined);
  const faults: [isWrong: boolean, fault: string][] = [
    [takesTokens !== (scope !== 'key'), 'an operation takes tokens unless its x-scope is "key".'],
    [responses['403'] === undefined, 'it needs the response 403, which tokens without the scope get.'],
    [scope === 'key' && limit !== undefined, 'x-token-limit is for operations that take tokens.'],
  ];
  return faults.filter(([isWrong]) => isWrong).map(([, fault]) => fault);
}

/** `restricts` of `x-roles` lists kinds of callers that the roles let in, and says in words why they are kept out. */
export function findRoleProblems(doc: Document): DocumentProblem[] {
  const known: readonly string[] = callerKinds;
  return listOperations(doc).flatMap((entry) => {
    const { operationId, 'x-roles': { who, note, refuses = [], restricts = [] } = {} } = entry.operation;
    const wrong = restricts.filter((kind) => !known.includes(kind) || refuses.includes(kind));
    const isSaid = restricts.length === 0 || (who ?? note) !== undefined;
    const faults = [
      ...wrong.map((kind) => `restricts lists "${kind}", which is refused already or no kind of caller.`),
      ...(isSaid ? [] : ['restricts needs the rule in words, in who or note.']),
    ];
    return faults.map((fault) => ({ message: `${operationId}: ${fault}`, path: pathOf(entry, 'x-roles') }));
  });
}

/** A response with `BAD_REQUEST` lists the reasons that it can have, among them that of its example; other responses list none. */
export function findReasonProblems(doc: Document): DocumentProblem[] {
  const known = listReasons(doc);
  return listOperations(doc).flatMap((entry) =>
    listResponses(doc, entry.operation).flatMap((response) => {
      const fault = findReasonFault(response, known);
      if (fault === undefined) return [];
      const message = `${entry.operation.operationId}: ${fault}`;
      return [{ message, path: pathOf(entry, 'responses', response.status) }];
    }),
  );
}

function findReasonFault({ codes, reasons, examples }: ResponseEntry, known: string[]): string | undefined {
  if (!codes.includes(BAD_REQUEST)) return reasons.length > 0 ? 'x-reasons is for BAD_REQUEST.' : undefined;
  if (reasons.length === 0) return 'a response with BAD_REQUEST needs x-reasons.';
  const unknown = reasons.find((reason) => !known.includes(reason));
  if (unknown !== undefined) return `x-reasons lists "${unknown}", which is no reason.`;
  const { value } = examples[BAD_REQUEST] ?? {};
  const { reason } = (value ?? {}) as { reason?: string };
  return reason === undefined || reasons.includes(reason) ? undefined : `x-reasons lacks "${reason}" of the example.`;
}

/** What `x-changes` says is read by programs: the level, what kind of change, and a sentence. */
export function findChangeNoteProblems(doc: Document): DocumentProblem[] {
  const level = Number(doc.info.version);
  return listNotes(doc).flatMap(({ notes, path }) => {
    const fault = findNoteFault(notes, level);
    return fault === undefined ? [] : [{ message: `x-changes: ${fault}`, path }];
  });
}

const KINDS: readonly unknown[] = ['added', 'changed', 'removed', 'deprecated'];

function findNoteFault(notes: unknown, newest: number): string | undefined {
  if (!Array.isArray(notes)) return 'must be a list.';
  for (const { level, kind, text } of notes as Record<string, unknown>[]) {
    if (!Number.isInteger(level) || (level as number) > newest) return `level must be a number up to ${newest}.`;
    if (!KINDS.includes(kind)) return `kind must be one of ${KINDS.join(', ')}.`;
    if (typeof text !== 'string' || !text.trim().endsWith('.')) return 'text must be a sentence.';
  }
  return undefined;
}

function listNotes(node: unknown, path: string[] = []): { notes: unknown; path: string[] }[] {
  if (node === null || typeof node !== 'object') return [];
  const own = 'x-changes' in node ? [{ notes: node['x-changes'], path: [...path, 'x-changes'] }] : [];
  const inner = Object.entries(node).filter(([key]) => key !== 'x-changes' && key !== 'examples');
  return [...own, ...inner.flatMap(([key, child]) => listNotes(child, [...path, key]))];
}
