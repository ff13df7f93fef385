import { isAdministrator } from '../../access/roles.ts';
import type { Schema } from '../../core/contract.ts';
import type { RequestProblem } from '../../core/errors.ts';
import { lazy, loadOnFirstUse } from '../../core/lazy.ts';
import { codesOfNames, furtherNames } from './generated/table.ts';

export type Emoji = Schema<'Emoji'>;
export type ReactionType = Emoji['reaction_type'];

/** An emoji as a request names it: any two of these can be absent. */
export interface EmojiQuery {
  readonly emoji_name?: string | undefined;
  readonly emoji_code?: string | undefined;
  readonly reaction_type?: ReactionType | undefined;
}

/** The fields of a custom emoji that decide which emoji a name refers to. */
export interface CustomEmoji {
  readonly id: number;
  readonly name: string;
  readonly deactivated: boolean;
}

/** The one emoji of the server itself: its code is its name. */
export const EXTRA = 'parley';
const LONGEST_NAME = 100;

// A map, so that names like "constructor" are unknown.
const unicode = lazy(
  () => new Map(codesOfNames.split('\n').map((line) => line.split(' ') as [name: string, code: string])),
);
const codes = lazy(() => new Set(unicode().values()));
/** Names that refer to an emoji only together with its code: alone they refer to another one, or are ambiguous. */
const namesWithCode = loadOnFirstUse(
  () => new Map(furtherNames.split('\n').map((line) => namesOfLine(line.split(' ')))),
);

const namesOfLine = ([code = '', ...names]: readonly string[]): [code: string, names: ReadonlySet<string>] => [
  code,
  new Set(names),
];

/** By code, the names that refer to a Unicode emoji without its code. The first is the one to show. */
export function unicodeNamesByCode(): Record<string, string[]> {
  const names: Record<string, string[]> = {};
  for (const [name, code] of unicode()) {
    names[code] ??= [];
    names[code].push(name);
  }
  return names;
}

export const unicodeCodeOf = (name: string): string | undefined => unicode().get(name);

/** Whether a custom emoji can have this name. */
export const isCustomName = (name: string): boolean =>
  name.length <= LONGEST_NAME && /^[a-z0-9_-]*[a-z0-9]$/.test(name);

/** The problem of the name of a new custom emoji, if there is one. Whether it is taken is checked elsewhere. */
export function nameProblem(
  name: string,
  { is_administrator }: { is_administrator: boolean },
): RequestProblem | undefined {
  if (!isCustomName(name)) {
    const text = `name: at most ${LONGEST_NAME} lower-case letters, digits, dashes and underscores, not ending in a dash or an underscore.`;
    return { reason: 'invalid', text };
  }
  if (name === EXTRA) return { reason: 'conflict', text: `name: the emoji "${EXTRA}" is the server's own.` };
  if (is_administrator || !unicode().has(name)) return undefined;
  const text = `name: "${name}" is a Unicode emoji. Only administrators may put another one in its place.`;
  return { reason: 'forbidden', text };
}

/**
 * The emoji of a name (docs/behaviour/emoji.md#look-up-a-name): a custom emoji takes precedence. With a type, only
 * emoji of that type.
 */
export function findEmojiByName(name: string, custom: readonly CustomEmoji[], type?: ReactionType): Emoji | undefined {
  const own = custom.find((one) => one.name === name && !one.deactivated);
  const code = unicode().get(name);
  const meanings: Emoji[] = [
    ...(own ? [{ emoji_name: name, emoji_code: String(own.id), reaction_type: 'realm_emoji' } as const] : []),
    ...(name === EXTRA ? [{ emoji_name: name, emoji_code: EXTRA, reaction_type: 'service_extra_emoji' } as const] : []),
    ...(code !== undefined ? [{ emoji_name: name, emoji_code: code, reaction_type: 'unicode_emoji' } as const] : []),
  ];
  return meanings.find(({ reaction_type }) => type === undefined || reaction_type === type);
}

/**
 * The emoji that matches a name, and a code and a type if given; else the problem
 * (docs/behaviour/emoji.md#validate-an-emoji).
 */
export function validateEmoji(
  { emoji_name, emoji_code, reaction_type }: EmojiQuery & { readonly emoji_name: string },
  custom: readonly CustomEmoji[],
): Emoji | RequestProblem {
  const named =
    findEmojiByName(emoji_name, custom, reaction_type) ?? unicodeWithCode(emoji_name, emoji_code, reaction_type);
  if (!named) {
    const kind = reaction_type === undefined ? 'emoji' : reaction_type;
    return { reason: 'not_found', text: `emoji_name: there is no ${kind} "${emoji_name}".` };
  }
  if (emoji_code === undefined || emoji_code === named.emoji_code) return named;
  const other = named.reaction_type === 'unicode_emoji' && unicodeWithCode(emoji_name, emoji_code, reaction_type);
  if (other) return other;
  return { reason: 'invalid', text: `emoji_code: "${emoji_code}" is not the code of "${emoji_name}".` };
}

/** The Unicode emoji of a code, if the name is one that refers to it together with the code only. */
function unicodeWithCode(emoji_name: string, emoji_code = '', type: ReactionType = 'unicode_emoji'): Emoji | undefined {
  if (type !== 'unicode_emoji' || !namesWithCode().get(emoji_code)?.has(emoji_name)) return undefined;
  return { emoji_name, emoji_code, reaction_type: type };
}

/** A stored reaction that a request may refer to. The name is not used to find it. */
export interface Removable extends Pick<Emoji, 'emoji_code' | 'reaction_type'> {
  /** The reason why no reaction can have this code, if there is one. */
  readonly problem?: string;
}

/**
 * The reaction that a request removes (docs/behaviour/reactions.md#remove-a-reaction), or the problem of the request.
 */
export function findRemovableReaction(
  { emoji_name, emoji_code, reaction_type }: EmojiQuery,
  custom: readonly CustomEmoji[],
): Removable | RequestProblem {
  if (emoji_code === undefined) {
    if (emoji_name === undefined) {
      const text = 'Send emoji_name or emoji_code: one of them is needed to know which reaction.';
      return { reason: 'invalid', text };
    }
    return validateEmoji({ emoji_name, reaction_type }, custom);
  }
  const type = reaction_type ?? typeNamed(emoji_name, custom) ?? 'unicode_emoji';
  if (isCode(emoji_code, type, custom)) return { emoji_code, reaction_type: type };
  return { emoji_code, reaction_type: type, problem: `emoji_code: there is no ${type} with the code "${emoji_code}".` };
}

function typeNamed(name: string | undefined, custom: readonly CustomEmoji[]): ReactionType | undefined {
  return name === undefined ? undefined : findEmojiByName(name, custom)?.reaction_type;
}

function isCode(code: string, type: ReactionType, custom: readonly CustomEmoji[]): boolean {
  if (type === 'unicode_emoji') return codes().has(code);
  return type === 'realm_emoji' ? custom.some(({ id }) => String(id) === code) : code === EXTRA;
}

/** Whether a user can remove a custom emoji: the user who added it, and administrators. */
export function canRemoveEmoji(
  me: { readonly id: number; readonly role: number },
  emoji: { author_id: number },
): boolean {
  return me.id === emoji.author_id || isAdministrator(me);
}
