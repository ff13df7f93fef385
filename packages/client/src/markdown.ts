// Characters that can have a meaning anywhere. Each can be escaped with a backslash.
const SPECIAL = /[\\`*_[\]<>&@#:$~|!]/g;
// Characters that turn a line into a list item or a rule, and the `/` of `/me`.
const AT_LINE_START = /^(?:\d+[.)]|[-+/])/;
const SPACE_AT_ENDS = /^\s+|\s+$/g;

/**
 * Returns Markdown that renders as the given text: without mentions, emoji, links, formulas, lists, headings, quotes or
 * code, and with its line breaks and spaces. Blank lines separate paragraphs. Insert the result where you would insert
 * the text:
 * `**${escapeMarkdown(title)}** is late`.
 *
 * @param text - Any text, such as a title from another program or a user. Linkifiers whose patterns match letters and
 * digits alone still apply to it.
 * @since Feature level 237.
 * @see `/docs/guides/sdk/#escape-markdown` on your server
 * @example
 * await client.sendMessage({ type: 'stream', to: 'builds', topic, content: `Failed: ${escapeMarkdown(commit.subject)}` });
 */
export function escapeMarkdown(text: string): string {
  return text
    .split(/\r\n?|\n/)
    .map((line) =>
      line
        .replace(SPECIAL, '\\$&')
        .replace(AT_LINE_START, (start) => `${start.slice(0, -1)}\\${start.slice(-1)}`)
        .replace(SPACE_AT_ENDS, toEntities),
    )
    .join('\n');
}

/** The renderer removes spaces at the ends of lines, and turns lines that begin with four spaces into code. */
const toEntities = (spaces: string): string => spaces.replace(/\s/g, (one) => `&#${one.charCodeAt(0)};`);
