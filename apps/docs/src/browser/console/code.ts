import { type Language, tokensOf } from '../../model/highlight.ts';
import { element } from './elements.ts';

/** Code in colours, without a word of HTML made from it. */
export function coloured(code: string, language: Language): (HTMLElement | string)[] {
  return tokensOf(code, language).map(({ kind, text }) =>
    kind === undefined ? text : element('span', { class: `t-${kind}` }, text),
  );
}

export function codeBox(code: string, language: Language, label: string): HTMLElement {
  const pre = element('pre', { tabindex: '0', 'aria-label': label }, element('code', {}, ...coloured(code, language)));
  return element('div', { class: 'code' }, pre);
}
