// The document's descriptions use paragraphs, code, bold, emphasis and links; that much Markdown is rendered here.

const NAMES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => NAMES[character] ?? character);

/** Says where a piece of code leads, such as an error code or `GET /events`. */
export type LinkOf = (code: string) => string | undefined;
const nowhere: LinkOf = () => undefined;

/** Markdown of several paragraphs. */
export function paragraphs(markdown: string, linkOf: LinkOf = nowhere): string {
  const blocks = markdown.trim().split(/\n\s*\n/);
  return blocks
    .filter((block) => block !== '')
    .map((block) => `<p>${inline(block, linkOf)}</p>`)
    .join('\n');
}

/** Markdown within a sentence. */
export function inline(markdown: string, linkOf: LinkOf = nowhere): string {
  return markdown
    .split(/(`[^`]+`)/)
    .map((part) => (part.startsWith('`') && part.length > 2 ? code(part.slice(1, -1), linkOf) : prose(part)))
    .join('');
}

function code(text: string, linkOf: LinkOf): string {
  const url = linkOf(text);
  const shown = `<code>${escapeHtml(text)}</code>`;
  return url === undefined ? shown : `<a href="${escapeHtml(url)}">${shown}</a>`;
}

function prose(text: string): string {
  return escapeHtml(text)
    .replace(/\[([^\]]+)\]\(((?:https?:\/|\/|#)[^)\s]*)\)/g, '<a href="$2">$1</a>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/(^|[\s(])\*([^*\s][^*]*)\*/g, '$1<em>$2</em>');
}
