/** The first sentence of a text. */
export function firstSentence(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return /^.*?[.!?](?=\s|$)/.exec(line)?.[0] ?? line;
}
