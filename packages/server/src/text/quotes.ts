// Quotes texts of users in messages of the server, without mentions.

/**
 * A text of several words or lines as a quote: its Markdown is shown literally, it mentions no user and cannot end the
 * quote.
 */
export function quoteText(text: string): string {
  return `\`\`\` quote\n${text.replace(/@(?=\*)/g, '@_').replace(/^(?=[ \t]*(?:`{3}|~{3}))/gm, '\\')}\n\`\`\``;
}

/** The description of a stream as a quote. */
export const quoteDescription = (description: string): string =>
  description === '' ? '``` quote\n*No description.*\n```' : quoteText(description);

/** A name within a sentence. Spaces separate backticks at its ends from the delimiters; they are not visible. */
export function quoteName(name: string): string {
  const marks = '`'.repeat(longestRun(name) + 1);
  const space = name.startsWith('`') || name.endsWith('`') ? ' ' : '';
  return `${marks}${space}${name}${space}${marks}`;
}

// URLs stay whole, so that they become links. Their characters have no meaning in Markdown by themselves, except `@`,
// `#` and `!`, together with what can follow them elsewhere.
const ADDRESS = /\bhttps?:\/\/(?:[\w\-.~:/?%&=+,;$]|@(?!_?\*)|#(?=[\w/!])|!(?!\[))+/g;

/** A text of several paragraphs that looks as typed: of its Markdown only URLs, lists and quotations are rendered. */
export function renderLiteralMarkdown(text: string): string {
  let output = '';
  let done = 0;
  for (const { index, 0: address } of text.matchAll(ADDRESS)) {
    output += `${literal(text.slice(done, index))}${address}`;
    done = index + address.length;
  }
  // Four spaces would begin a code block, in which backslashes are visible.
  return (output + literal(text.slice(done))).replace(/^[ \t]+/gm, (space) => '\u00a0'.repeat(space.length));
}

const literal = (text: string): string => text.replace(/[\\`*_~[\]<|!@#$]/g, '\\$&');

/** A silent mention of a user. */
export const renderSilentMention = ({ full_name, id }: { readonly full_name: string; readonly id: number }): string =>
  `@_**${full_name}|${id}**`;

const longestRun = (text: string): number => Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
