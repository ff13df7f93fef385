import { codePoints } from './names.ts';

export const RESOLVED_PREFIX = '✔ ';

/** Two names with the same key are one topic: topics ignore case, but keep the case they were written in. */
export function topicKey(name: string): string {
  return name.toLowerCase();
}

export function isResolved(name: string): boolean {
  return name.startsWith(RESOLVED_PREFIX);
}

/** Removes one prefix only, so that resolving and then unresolving restores exactly the same name. */
export function withoutResolvedPrefix(name: string): string {
  return isResolved(name) ? name.slice(RESOLVED_PREFIX.length) : name;
}

/** The name without leading check marks and spaces: a move that only resolves does not change it. */
export function stripCheckMarks(name: string): string {
  return name.replace(/^[✔ ]+/u, '');
}

/** The length that max_topic_length limits. The prefix does not count, so every topic can be resolved. */
export function topicLength(name: string): number {
  return codePoints(withoutResolvedPrefix(name));
}
