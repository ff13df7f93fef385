/** How a text begins; all of it where it is one sentence. */
export function firstSentence(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return /^.*?[.!?](?=\s|$)/.exec(line)?.[0] ?? line;
}
