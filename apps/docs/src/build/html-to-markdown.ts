import type { Element, Nodes } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import { type Handle, type State, toMdast } from 'hast-util-to-mdast';
import { toString as textOf } from 'hast-util-to-string';
import type { BlockContent, ListItem, PhrasingContent } from 'mdast';
import { gfmTableToMarkdown } from 'mdast-util-gfm-table';
import { toMarkdown } from 'mdast-util-to-markdown';
import { prepareForMarkdown } from './prepare-for-markdown.ts';

const DESCRIPTION = /<meta name="description" content="([^"]*)"/;

const CODE_BLOCK = /<pre\b.*?<\/pre>/gs;

const withoutTokens = (block: string): string => block.replaceAll(/<\/?span\b[^>]*>/g, '');

/** A built page as Markdown: its title, its description unless the content has the same text, and its content. */
export function htmlToMarkdown(html: string): string {
  // The time depends on the number of elements, and most are navigation, tokens of highlighted code, and <wbr>.
  const part = html.slice(html.indexOf('<main'), html.indexOf('</main>'));
  const main = fromHtml(part.replaceAll('<wbr>', '').replaceAll(CODE_BLOCK, withoutTokens), { fragment: true });
  const title = find(main, ({ tagName }) => tagName === 'h1');
  const content = find(main, ({ properties }) => [properties.className].flat().includes('sl-markdown-content'));
  if (!title || !content) throw new Error('The page has no title or no content.');
  const description = textOf(fromHtml(DESCRIPTION.exec(html)?.[1] ?? '', { fragment: true }));
  const isShown = toPlainText(textOf(content)).includes(toPlainText(description));
  prepareForMarkdown(content);
  return [`# ${textOf(title)}`, ...(isShown ? [] : [description]), render(content)].join('\n\n');
}

function find(node: Nodes, matches: (element: Element) => boolean): Element | undefined {
  if (node.type === 'element' && matches(node)) return node;
  for (const child of 'children' in node ? node.children : []) {
    const found = find(child, matches);
    if (found) return found;
  }
  return undefined;
}

/** Text without the marks of Markdown, which descriptions of the document have. */
const toPlainText = (text: string): string =>
  text
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ');

const render = ({ children }: Element): string =>
  toMarkdown(toMdast({ type: 'root', children }, { handlers: { dl: toList, pre: toCode } }), {
    bullet: '-',
    extensions: [gfmTableToMarkdown({ tablePipeAlign: false })],
  });

/** The handler of the library removes empty lines at the end, which text of a protocol can need. */
const toCode: Handle = (_state, block) => {
  const code = find(block, ({ tagName }) => tagName === 'code') ?? block;
  const language = [code.properties.className].flat().find((name) => String(name).startsWith('language-'));
  return { type: 'code', lang: language === undefined ? null : String(language).slice(9), value: textOf(code) };
};

/** Each term and its description are one item of a list, in which the descriptions of other terms can be nested. */
const toList: Handle = (state, { children }) => ({
  type: 'list',
  ordered: false,
  spread: false,
  children: children.filter((child) => child.type === 'element').map((group) => toItem(state, group)),
});

function toItem(state: State, group: Element): ListItem {
  const [term, about] = ['dt', 'dd'].map((name) => find(group, ({ tagName }) => tagName === name));
  const blocks = about ? (state.toFlow(state.all(about)) as BlockContent[]) : [];
  const sentences = blocks.flatMap((block) => (block.type === 'paragraph' ? [block.children] : []));
  const text = sentences.flatMap((words, n): PhrasingContent[] => [
    { type: 'text', value: n === 0 ? ': ' : ' ' },
    ...words,
  ]);
  const line = [...(term ? (state.all(term) as PhrasingContent[]) : []), ...text];
  const nested = blocks.filter(({ type }) => type !== 'paragraph');
  return { type: 'listItem', spread: false, children: [{ type: 'paragraph', children: line }, ...nested] };
}
