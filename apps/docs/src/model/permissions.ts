import { callers, letters, outcomesByOperation } from '../../../../packages/server/test/permissions.ts';

/** What the permission tests hold of one kind of caller. */
export interface CallerOutcome {
  who: string;
  /** The code of the refusal; undefined for those who may. */
  errorCode?: string;
}

/** What comes of a call by each kind of caller there is. */
export function listPermissions(operationId: string): CallerOutcome[] {
  const row = (outcomesByOperation as Record<string, string>)[operationId];
  if (row === undefined) throw new Error(`The permission tests have no row for ${operationId}.`);
  return callers.map((who, at) => {
    const outcome = letters[row[at] ?? ''] ?? '';
    return { who, ...(outcome !== 'done' && { errorCode: outcome }) };
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

export const callerKinds: readonly string[] = callers;

/** How it was found, and what it does not say. */
export const permissionsNote =
  'What came of it when each kind of account called it in the tests, in an organization whose members may create streams, ' +
  'groups and emoji only after ten days. Where an operation is for owners of a thing (a message, a bot, an emoji) and for ' +
  'administrators, the thing was somebody else’s. Settings, and what a call is about, can allow more or forbid more.';
