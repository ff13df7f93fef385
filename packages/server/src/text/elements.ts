import { type Token, token } from './parser.ts';

/** Attributes are escaped when the HTML is written. */
export function element(tag: 'a' | 'span' | 'time', attributes: Record<string, string>, content: string): Token[] {
  const open = token('element_open', tag, 1);
  open.attrs = Object.entries(attributes);
  return [open, text(content), token('element_close', tag, -1)];
}

export function text(content: string): Token {
  const piece = token('text', '', 0);
  piece.content = content;
  return piece;
}

/** HTML of a library, or our own that is escaped already. */
export function trustedHtml(html: string): Token {
  const piece = token('trusted_html', '', 0);
  piece.content = html;
  return piece;
}
