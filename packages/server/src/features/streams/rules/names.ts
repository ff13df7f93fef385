// Which names and descriptions of streams are valid.
import { limits } from '../../../core/limits.ts';
import { codePoints, findBadCharacter } from '../../../text/names.ts';

/** The problem of a trimmed stream name, if there is one (docs/behaviour/streams.md#names-of-streams). */
export function streamNameProblem(name: string): string | undefined {
  if (name === '') return 'A stream name cannot be empty.';
  if (codePoints(name) > limits.max_stream_name_length) {
    return `The stream name "${name}" is too long: at most ${limits.max_stream_name_length} characters.`;
  }
  const bad = findBadCharacter(name);
  return bad && `The stream name "${name}" has an invalid character at position ${bad.position}.`;
}

/** A description as it is stored: on one line. */
export const normalizeDescription = (description: string): string => description.replaceAll(/\r\n|\r|\n/g, ' ').trim();

/** The problem of a cleaned description, if there is one. */
export function descriptionProblem({ name, description }: { name: string; description: string }): string | undefined {
  if (codePoints(description) <= limits.max_stream_description_length) return undefined;
  return `The description of "${name}" is too long: at most ${limits.max_stream_description_length} characters.`;
}
