import { isAdministrator } from '../../access/roles.ts';
import type { Schema } from '../../core/contract.ts';
import { lazy, loadOnFirstUse } from '../../core/lazy.ts';
import { codeByName, furtherNames } from './generated/table.ts';

export type Emoji = Schema<'Emoji'>;
export type ReactionType = Emoji['reaction_type'];

/** An emoji as a request names it: any two of these may be left out. */
export interface EmojiQuery {
  readonly emoji_name?: string | undefined;
  readonly emoji_code?: string | undefined;
  readonly reaction_type?: ReactionType | undefined;
}

/** As much of a custom emoji as deciding what is meant takes. */
export interface CustomEmoji {
  readonly id: number;
  readonly name: string;
  readonly deactivated: boolean;
}

/** The one emoji of the server itself: its code is its name. */
export const EXTRA = 'parley';
const LONGEST_NAME = 100;

// A map, since names like "constructor" are to mean nothing.
const unicode = lazy(() => new Map(Object.entries(codeByName)));
const codes = lazy(() => new Set(unicode().values()));
/** Names that mean an emoji together with its code only: alone they mean another one, or could mean several. */
const namesWithCode = loadOnFirstUse(
  () => new Map(furtherNames.split('\n').map((line) => namesOfLine(line.split(' ')))),
);

const namesOfLine = ([code = '', ...names]: readonly string[]): [code: string, names: ReadonlySet<string>] => [
  code,
  new Set(names),
];

/** The names of each Unicode emoji that mean it without its code, by its code. The first is the one to show. */
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

/** What is wrong with the name of a new custom emoji, if anything is; whether it is taken, the database knows. */
export function nameProblem(name: string, { is_administrator }: { is_administrator: boolean }): string | undefined {
  if (!isCustomName(name)) {
    return `name: at most ${LONGEST_NAME} lower-case letters, digits, dashes and underscores, not ending in a dash or an underscore.`;
  }
  if (name === EXTRA) return `name: the emoji "${EXTRA}" is the server's own.`;
  if (is_administrator || !unicode().has(name)) return undefined;
  return `name: "${name}" is a Unicode emoji. Only administrators may put another one in its place.`;
}

/**
 * What a name means (docs/behaviour/emoji.md#look-up-a-name): a custom emoji hides the others. With a type, what it
 * means as one of that type.
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
 * The emoji that a name, and a code and a type if given, agree on; else what is wrong with them
 * (docs/behaviour/emoji.md#validate-an-emoji).
 */
export function validateEmoji(
  { emoji_name, emoji_code, reaction_type }: EmojiQuery & { readonly emoji_name: string },
  custom: readonly CustomEmoji[],
): Emoji | string {
  const named =
    findEmojiByName(emoji_name, custom, reaction_type) ?? unicodeWithCode(emoji_name, emoji_code, reaction_type);
  if (!named) {
    const kind = reaction_type === undefined ? 'emoji' : reaction_type;
    return `emoji_name: there is no ${kind} "${emoji_name}".`;
  }
  if (emoji_code === undefined || emoji_code === named.emoji_code) return named;
  const other = named.reaction_type === 'unicode_emoji' && unicodeWithCode(emoji_name, emoji_code, reaction_type);
  return other || `emoji_code: "${emoji_code}" is not the code of "${emoji_name}".`;
}

/** The Unicode emoji of a code, if the name is one that it has beside those that mean it alone. */
function unicodeWithCode(emoji_name: string, emoji_code = '', type: ReactionType = 'unicode_emoji'): Emoji | undefined {
  if (type !== 'unicode_emoji' || !namesWithCode().get(emoji_code)?.has(emoji_name)) return undefined;
  return { emoji_name, emoji_code, reaction_type: type };
}

/** A stored reaction that a request may mean: the name plays no part in finding it. */
export interface Removable extends Pick<Emoji, 'emoji_code' | 'reaction_type'> {
  /** Why no reaction can have this code, if none can. */
  readonly problem?: string;
}

/** Which reaction a request wants removed (docs/behaviour/reactions.md#remove-a-reaction), or why none can be meant. */
export function findRemovableReaction(
  { emoji_name, emoji_code, reaction_type }: EmojiQuery,
  custom: readonly CustomEmoji[],
): Removable | string {
  if (emoji_code === undefined) {
    if (emoji_name === undefined) return 'Send emoji_name or emoji_code: one of them is needed to know which reaction.';
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

/** Whether a user may remove a custom emoji: the user who added it, and administrators. */
export function canRemoveEmoji(
  me: { readonly id: number; readonly role: number },
  emoji: { author_id: number },
): boolean {
  return me.id === emoji.author_id || isAdministrator(me);
}
