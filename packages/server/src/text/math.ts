import { element, trustedHtml } from './elements.ts';
import { escapeHtml } from './escape-html.ts';
import type { Token } from './parser.ts';
import type { RenderState } from './render-state.ts';
import { texToHtml } from './tex.ts';

/** The minimal HTML of a formula: with less room, none is rendered. */
const LEAST_HTML = 300;

export function renderInlineMath(draft: RenderState, tex: string): Token[] {
  const html = mathHtml(draft, tex, false);
  return html === undefined ? element('span', { class: 'tex-error' }, `$$${tex}$$`) : [trustedHtml(html)];
}

/** A block of formulas, which empty lines separate. */
export function renderMathBlock(draft: RenderState, content: string): string {
  const formulas = content.split(/\n[ \t]*\n/).filter((tex) => tex.trim() !== '');
  return formulas.map((tex) => `<p>${mathHtml(draft, tex.trim(), true) ?? errorHtml(tex)}</p>\n`).join('');
}

const errorHtml = (tex: string): string => `<span class="tex-error">${escapeHtml(tex.trim())}</span>`;

function mathHtml(draft: RenderState, tex: string, isBlock: boolean): string | undefined {
  if (draft.mathRoom < LEAST_HTML) return undefined;
  const html = texToHtml(tex, isBlock, draft.time);
  const bytes = html === undefined ? 0 : Buffer.byteLength(html);
  if (bytes > draft.mathRoom) return undefined;
  draft.mathRoom -= bytes;
  return html;
}
