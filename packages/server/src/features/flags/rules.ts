import type { Schema } from '../../core/contract.ts';

type Flag = Schema<'MessageFlags'>[number];

/** The bit of each flag in `flag_bits`, in the order of the specification. */
export const FLAG_BITS: Readonly<Record<Flag, number>> = {
  read: 1,
  starred: 2,
  collapsed: 4,
  mentioned: 8,
  wildcard_mentioned: 16,
  stream_wildcard_mentioned: 32,
  topic_wildcard_mentioned: 64,
  has_alert_word: 128,
  historical: 256,
};

export const FLAGS = Object.keys(FLAG_BITS) as readonly Flag[];

/** Flags that users set and clear themselves; the others follow from messages (specification section 2). */
export const editableFlags = ['read', 'starred', 'collapsed'] as const;
export type EditableFlag = (typeof editableFlags)[number];

export interface FlagChange {
  readonly flag: EditableFlag;
  readonly op: 'add' | 'remove';
}

/** The problem of a change of a flag, if there is one: the flag is checked before the op. */
export function changeProblem({ flag, op }: { flag: string; op: string }): string | undefined {
  if (!isEditable(flag)) return isFlag(flag) ? `The flag "${flag}" is not editable.` : `Unknown flag: "${flag}".`;
  return isOp(op) ? undefined : `Unknown op: "${op}". It must be "add" or "remove".`;
}

/** Narrows the type: true exactly when `changeProblem` finds no problem. */
export function isChange(change: { flag: string; op: string }): change is FlagChange {
  return isEditable(change.flag) && isOp(change.op);
}

const isFlag = (flag: string): boolean => (FLAGS as readonly string[]).includes(flag);
const isEditable = (flag: string): flag is EditableFlag => (editableFlags as readonly string[]).includes(flag);
const isOp = (op: string): op is FlagChange['op'] => op === 'add' || op === 'remove';

/** Those of the requested ids that changed, in the order of the request, once each. */
export function listChangedInOrder(requested: readonly number[], changed: readonly number[]): number[] {
  const really = new Set(changed);
  return [...new Set(requested)].filter((id) => really.has(id));
}
