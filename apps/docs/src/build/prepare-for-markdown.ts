import type { Element, ElementContent, Parents, Text } from 'hast';
import { toString as textOf } from 'hast-util-to-string';
import { BASE, markdownUrl } from '../model/urls.ts';

/** Elements that have a purpose only in a browser. */
const OMITTED = new Set(['button', 'input', 'label', 'legend', 'script', 'style', 'svg']);

/**
 * Changes an element of a page so that its text needs no style sheet: what CSS keeps apart gets punctuation, links lead to
 * Markdown pages, and parts that are useful only in a browser are removed. Two values of the attribute `data-markdown` are
 * instructions of components: `omit`, and the name of the element that takes the place of this one.
 */
export function prepareForMarkdown(parent: Parents): void {
  const children = parent.children.filter((child) => child.type === 'text' || isIncluded(child)) as ElementContent[];
  for (const child of children) {
    delete child.position;
    if (child.type === 'element') prepareElement(child);
  }
  parent.children = children.flatMap((child, n) => [...separator(parent, children[n - 1], child), child]);
}

function isIncluded(node: Parents['children'][number]): boolean {
  if (node.type !== 'element' || OMITTED.has(node.tagName)) return false;
  const { ariaHidden, dataMarkdown, className } = node.properties;
  return ariaHidden !== 'true' && dataMarkdown !== 'omit' && ![className].flat().includes('sl-anchor-link');
}

function prepareElement(element: Element): void {
  const { dataMarkdown, href, title } = element.properties;
  if (element.tagName === 'pre') return;
  if (typeof dataMarkdown === 'string') element.tagName = dataMarkdown;
  if (typeof href === 'string') element.properties.href = toMarkdownLink(href);
  if (element.tagName === 'abbr' && typeof title === 'string') element.children = [text(title)];
  prepareForMarkdown(element);
  if (element.tagName === 'dt') element.children = parenthesize(element);
  if (element.tagName === 'dd') element.children.filter(isParagraph).forEach(endSentence);
  if (isCell(element)) element.children.filter(isParagraph).forEach(toPhrase);
}

const text = (value: string): Text => ({ type: 'text', value });

const isParagraph = (node: ElementContent): node is Element => node.type === 'element' && node.tagName === 'p';

/** Elements of one kind without a space between them are a list, such as the values of a field or the paragraphs of a cell. */
function separator(parent: Parents, before: ElementContent | undefined, node: ElementContent): Text[] {
  if (before?.type !== 'element' || node.type !== 'element' || before.tagName !== node.tagName) return [];
  if (node.tagName === 'p') return isCell(parent) ? [text('; ')] : [];
  return node.tagName === 'code' || node.tagName === 'span' ? [text(', ')] : [];
}

const isCell = (node: Parents): boolean => node.type === 'element' && node.tagName === 'td';

/** `name (string, required)`: the term, and the labels beside it. */
function parenthesize({ children }: Element): ElementContent[] {
  const [term, ...labels] = children.filter((child) => child.type === 'element');
  for (const label of labels) trim(label);
  const notes = labels.flatMap((label, n) => [text(n === 0 ? ' (' : ', '), label]);
  return [...(term ? [term] : []), ...notes, ...(notes.length > 0 ? [text(')')] : [])];
}

function trim({ children }: Element): void {
  const [first, last] = [children[0], children.at(-1)];
  if (first?.type === 'text') first.value = first.value.trimStart();
  if (last?.type === 'text') last.value = last.value.trimEnd();
}

/** A row of a table is one line. */
function toPhrase(paragraph: Element): void {
  trim(paragraph);
  paragraph.tagName = 'span';
}

/** The paragraphs of a description become one. */
function endSentence(paragraph: Element): void {
  trim(paragraph);
  if (!/[.:!?]$/.test(textOf(paragraph))) paragraph.children.push(text('.'));
}

/** The address of the Markdown page of a page; other addresses stay. */
export function toMarkdownLink(href: string): string {
  const [path = '', fragment] = href.split('#');
  if (!path.startsWith(`${BASE}/`) || !/(\/|\.html)$/.test(path)) return href;
  return markdownUrl(path) + (fragment === undefined ? '' : `#${fragment}`);
}
