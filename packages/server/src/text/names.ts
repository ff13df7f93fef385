const SHORTEST_FULL_NAME = 2;
const LONGEST_FULL_NAME = 100;
/** Each of these has a meaning in a mention or around one: a name with them could not be mentioned. */
const FORBIDDEN_IN_FULL_NAMES = '*`\\>"@';

/** The length for limits: code points, so that an emoji counts once. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/**
 * The first character that no name can contain: control, lone surrogate or non-character. The position counts from 1.
 */
export function findBadCharacter(name: string): { position: number } | undefined {
  let position = 0;
  for (const character of name) {
    position += 1;
    if (/[\p{Cc}\p{Cs}]/u.test(character) || isNonCharacter(character)) return { position };
  }
  return undefined;
}

function isNonCharacter(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return (code >= 0xfdd0 && code <= 0xfdef) || (code & 0xfffe) === 0xfffe;
}

export function isForbiddenInFullNames(character: string): boolean {
  return FORBIDDEN_IN_FULL_NAMES.includes(character);
}

/** The problem of a full name, as a sentence for the user. The name must be trimmed. */
export function fullNameProblem(name: string): string | undefined {
  const trimmed = name.trim();
  const length = codePoints(trimmed);
  if (length < SHORTEST_FULL_NAME) return `A full name has at least ${SHORTEST_FULL_NAME} characters.`;
  if (length > LONGEST_FULL_NAME) return `A full name has at most ${LONGEST_FULL_NAME} characters.`;
  const forbidden = [...trimmed].find(isForbiddenInFullNames);
  if (forbidden) return `A full name cannot contain the character ${forbidden}`;
  const bad = findBadCharacter(trimmed);
  if (bad) return `A full name cannot contain the invisible or invalid character at position ${bad.position}.`;
  // `@**Ada|7**` means Ada with id 7, so a user named `Ada|7` could impersonate her.
  if (/\|\d+$/u.test(trimmed)) return 'A full name cannot end in a vertical bar and a number.';
  return undefined;
}
