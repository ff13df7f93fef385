import {
  type CallerKind,
  callerKinds,
  type Document,
  findPermissionError,
  type OperationObject,
} from '@parley/openapi/document';

/** Whether one kind of caller can call an operation. The permission tests verify it. */
export interface CallerOutcome {
  who: CallerKind;
  /** The code of the error; undefined if the call succeeds. */
  errorCode?: string;
}

/** The outcome of a call for each kind of caller. */
export function listPermissions(doc: Document, operation: OperationObject): CallerOutcome[] {
  return callerKinds.map((who) => {
    const errorCode = findPermissionError(doc, operation, who);
    return { who, ...(errorCode !== undefined && { errorCode }) };
  });
}

export interface OutcomeGroup {
  /** Undefined: the call succeeds. */
  errorCode: string | undefined;
  who: string[];
}

/** The kinds of callers by outcome, those that can call the operation first. */
export function groupByOutcome(outcomes: readonly CallerOutcome[]): OutcomeGroup[] {
  const groups = new Map<string | undefined, string[]>([[undefined, []]]);
  for (const { who, errorCode } of outcomes) groups.set(errorCode, [...(groups.get(errorCode) ?? []), who]);
  return [...groups].map(([errorCode, who]) => ({ errorCode, who }));
}

/** How the tests determine the outcomes, and what these depend on. */
export const permissionsNote =
  'The tests call each operation with each kind of account. Members of the test organization can create streams, groups and ' +
  'emoji only after ten days. If an operation is for administrators and for the owner of an object, such as a message, a bot ' +
  'or an emoji, the object belongs to another user. Settings and parameters can allow or forbid more.';
