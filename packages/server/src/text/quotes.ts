// Other people's words inside a text of ours: they alert nobody.

/** A text of several words or lines as a quote: its Markdown is shown, but it alerts nobody and cannot end the quote. */
export function quoteText(text: string): string {
  return `\`\`\` quote\n${text.replace(/@(?=\*)/g, '@_').replace(/^(?=[ \t]*(?:`{3}|~{3}))/gm, '\\')}\n\`\`\``;
}

/** The description of a stream as a quote. */
export const quoteDescription = (description: string): string =>
  description === '' ? '``` quote\n*No description.*\n```' : quoteText(description);

/** A name within a sentence. Spaces keep backticks at its ends apart from ours; whoever reads it does not see them. */
export function quoteName(name: string): string {
  const marks = '`'.repeat(longestRun(name) + 1);
  const space = name.startsWith('`') || name.endsWith('`') ? ' ' : '';
  return `${marks}${space}${name}${space}${marks}`;
}

// Addresses stay whole, so that they become links. Of what they may contain, nothing begins anything in Markdown by itself;
// `@`, `#` and `!` do with what may follow them elsewhere.
const ADDRESS = /\bhttps?:\/\/(?:[\w\-.~:/?%&=+,;$]|@(?!_?\*)|#(?=[\w/!])|!(?!\[))+/g;

/** A text of several paragraphs that looks as it was written: nothing in it means anything but addresses, lists and quotations. */
export function renderLiteralMarkdown(text: string): string {
  let written = '';
  let done = 0;
  for (const { index, 0: address } of text.matchAll(ADDRESS)) {
    written += `${literal(text.slice(done, index))}${address}`;
    done = index + address.length;
  }
  // Four spaces would begin a block of code, where backslashes show.
  return (written + literal(text.slice(done))).replace(/^[ \t]+/gm, (space) => '\u00a0'.repeat(space.length));
}

const literal = (text: string): string => text.replace(/[\\`*_~[\]<|!@#$]/g, '\\$&');

/** Names somebody without alerting them. */
export const renderSilentMention = ({ full_name, id }: { readonly full_name: string; readonly id: number }): string =>
  `@_**${full_name}|${id}**`;

const longestRun = (text: string): number => Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
