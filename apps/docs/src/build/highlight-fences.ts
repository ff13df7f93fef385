import { languageOf, tokensOf } from '../model/highlight.ts';

/** The properties of a hast node that the plugin reads. */
interface Node {
  type: string;
  tagName?: string;
  value?: string;
  properties?: Record<string, unknown>;
  children?: Node[];
}

/** Highlights fenced code of guides like the samples of the reference. */
export function highlightFences() {
  return (tree: Node): void => visit(tree);
}

function visit(node: Node): void {
  for (const [at, child] of (node.children ?? []).entries()) {
    const code = child.tagName === 'pre' ? child.children?.find(({ tagName }) => tagName === 'code') : undefined;
    if (code && node.children) node.children[at] = figure(code);
    else visit(child);
  }
}

function figure(code: Node): Node {
  const text = (code.children ?? [])
    .map(({ value }) => value ?? '')
    .join('')
    .replace(/\n$/, '');
  const classes = [code.properties?.className ?? []].flat().map(String);
  const named = classes.find((name) => name.startsWith('language-'));
  const language = languageOf(named?.slice(9) ?? 'text');
  const element = (tagName: string, properties: Record<string, unknown>, children: Node[]): Node => ({
    type: 'element',
    tagName,
    properties,
    children,
  });
  const tokens = tokensOf(text, language).map((token): Node => {
    const plain = { type: 'text', value: token.text };
    return token.kind === undefined ? plain : element('span', { class: `t-${token.kind}` }, [plain]);
  });
  const pre = element('pre', { tabindex: 0 }, [element('code', named === undefined ? {} : { class: named }, tokens)]);
  return element('div', { class: 'code not-content', 'data-code': '' }, [pre]);
}
