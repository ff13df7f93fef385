import {
  type CallerKind,
  callerKinds,
  type Document,
  findPermissionError,
  type OperationObject,
} from '@parley/openapi/document';

/** What the document says, and the permission tests hold, of one kind of caller. */
export interface CallerOutcome {
  who: CallerKind;
  /** The code of the error; undefined for those who may. */
  errorCode?: string;
}

/** What comes of a call by each kind of caller there is. */
export function listPermissions(doc: Document, operation: OperationObject): CallerOutcome[] {
  return callerKinds.map((who) => {
    const errorCode = findPermissionError(doc, operation, who);
    return { who, ...(errorCode !== undefined && { errorCode }) };
  });
}

export interface OutcomeGroup {
  /** Undefined: they may. */
  errorCode: string | undefined;
  who: string[];
}

/** Those of whom the same comes, together; first those who may. */
export function groupByOutcome(outcomes: readonly CallerOutcome[]): OutcomeGroup[] {
  const groups = new Map<string | undefined, string[]>([[undefined, []]]);
  for (const { who, errorCode } of outcomes) groups.set(errorCode, [...(groups.get(errorCode) ?? []), who]);
  return [...groups].map(([errorCode, who]) => ({ errorCode, who }));
}

/** How it was found, and what it does not say. */
export const permissionsNote =
  'What came of it when each kind of account called it in the tests, in an organization whose members may create streams, ' +
  'groups and emoji only after ten days. Where an operation is for owners of a thing (a message, a bot, an emoji) and for ' +
  'administrators, the thing was somebody else’s. Settings, and what a call is about, can allow more or forbid more.';
