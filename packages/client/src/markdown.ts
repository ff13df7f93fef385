// Characters that can mean something anywhere. Each can be escaped with a backslash.
const SPECIAL = /[\\`*_[\]<>&@#:$~|!]/g;
// What makes an item of a list or a rule of a line, and the `/` of `/me`.
const AT_LINE_START = /^(?:\d+[.)]|[-+/])/;
const SPACE_AT_ENDS = /^\s+|\s+$/g;

/**
 * Markdown that shows a text as it is: no mention, emoji, link, formula, list, heading, quote or code comes of it, and line breaks and
 * spaces stay. Blank lines separate paragraphs. Put in the result where you would put the text:
 * `**${escapeMarkdown(title)}** is late`.
 *
 * @param text - Any text, such as a title that another program or a user has chosen. Links that the organization has set up for a pattern of letters and
 * digits alone are made in it as in every text.
 * @since Feature level 237.
 * @see `/docs/guides/sdk/#texts-of-others` on your server
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

/** A renderer removes spaces at the ends of lines, and makes code of a line that begins with four. */
const toEntities = (spaces: string): string => spaces.replace(/\s/g, (one) => `&#${one.charCodeAt(0)};`);
