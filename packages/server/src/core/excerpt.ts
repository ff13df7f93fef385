/** The beginning of a text, with an ellipsis if it has more characters than `most`. */
export function excerpt(text: string, most: number): string {
  if (text.length <= most) return text;
  // A character has at most two UTF-16 units.
  const characters = [...text.slice(0, 2 * most + 2)];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}
