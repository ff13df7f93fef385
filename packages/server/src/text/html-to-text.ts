import type { Token } from './parser.ts';

/** No message contains it, so no alert word does. */
const GAP = '\0';

/** The visible text of HTML, without autolinked URLs, images, formulas and code blocks. */
export function htmlToVisibleText(blocks: readonly Token[]): string {
  return blocks.flatMap(({ children }) => (children ? [visibleLine(children)] : [])).join(GAP);
}

function visibleLine(tokens: readonly Token[]): string {
  let isAddress = false;
  let output = '';
  for (const { type, info, content } of tokens) {
    if (type === 'link_open') isAddress = info === 'auto';
    if (type === 'text' || type === 'code_inline') output += isAddress ? GAP : content;
    else if (type === 'softbreak' || type === 'hardbreak') output += '\n';
    else if (type === 'emoji' || type === 'trusted_html') output += GAP;
    if (type === 'link_close') isAddress = false;
  }
  return output;
}
