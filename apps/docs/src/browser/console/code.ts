import { type Language, tokensOf } from '../../model/highlight.ts';
import { copyButton } from '../copy.ts';
import { element } from './elements.ts';

/** Highlighted code. No part of it is parsed as HTML. */
export function coloured(code: string, language: Language): (HTMLElement | string)[] {
  return tokensOf(code, language).map(({ kind, text }) =>
    kind === undefined ? text : element('span', { class: `t-${kind}` }, text),
  );
}

/** A code block with a button that copies it, or the `whole` code if this is only its beginning. */
export function codeBox(code: string, language: Language, label: string, whole = code): HTMLElement {
  const shown = element('code', {}, ...coloured(code, language));
  const pre = element(
    'pre',
    { tabindex: '0', 'aria-label': label },
    copyButton(() => whole),
    shown,
  );
  return element('div', { class: 'code' }, pre);
}
