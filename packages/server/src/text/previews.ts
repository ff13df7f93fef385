import { escapeHtml } from './escape-html.ts';
import { isImageLink, isSafeLink } from './links.ts';
import type { Token } from './parser.ts';
import { type RenderState, reserveBytes } from './render-state.ts';

/** HTML of the images that a line links and that the text has not shown yet. */
export function renderPreviews(draft: RenderState, line: readonly Token[]): string {
  return line.map((token) => previewHtml(draft, token)).join('');
}

function previewHtml(draft: RenderState, token: Token): string {
  if (token.tag !== 'a' || token.nesting !== 1) return '';
  const url = String(token.attrGet('href') ?? '');
  if (!isSafeLink(url) || !isImageLink(url)) return '';
  const { previews } = draft;
  if (previews.left === 0 || previews.shown.has(url)) return '';
  const address = escapeHtml(url);
  const html = `<div class="message_inline_image"><a href="${address}"><img src="${address}"></a></div>\n`;
  if (!reserveBytes(draft, Buffer.byteLength(html))) return '';
  previews.left -= 1;
  previews.shown.add(url);
  return html;
}
