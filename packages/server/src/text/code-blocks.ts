import { highlightCode, languageLabel } from './code.ts';
import { escapeHtml } from './escape-html.ts';
import { type RenderState, reserveBytes } from './render-state.ts';

/** `typed` is the text after the opening fence, or undefined for indented code. */
export function renderCodeBlock(draft: RenderState, code: string, typed: string | undefined): string {
  const language = typed === undefined ? '' : typed.trim().split(/\s/, 1)[0] || defaultLanguage(draft);
  const label = language && ` data-code-language="${escapeHtml(languageLabel(language))}"`;
  return `<div class="codehilite"${label}><pre><span></span><code>${contentOf(draft, code, language)}</code></pre></div>\n`;
}

function contentOf(draft: RenderState, code: string, language: string): string {
  const plain = escapeHtml(code);
  const highlighted = language && draft.room > 0 ? highlightCode(code, language, draft.time) : undefined;
  if (!highlighted) return plain;
  return reserveBytes(draft, Buffer.byteLength(highlighted) - Buffer.byteLength(plain)) ? highlighted : plain;
}

/** The organization's default for code blocks without a language. */
function defaultLanguage(draft: RenderState): string {
  const language = draft.facts.code_language ?? '';
  return reserveBytes(draft, Buffer.byteLength(language)) ? language : '';
}
