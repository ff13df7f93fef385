import { createRequire } from 'node:module';
import type { StateBlock, StateInline, Token } from 'markdown-it';
import { lazy } from '../core/lazy.ts';
import { parseFencedBlock } from './fences.ts';
import { inlineMath, inlineTime } from './inline-rules.ts';
import { isSafeLink } from './links.ts';
import { parseMentionAt } from './mentions.ts';

export type { Token } from 'markdown-it';

type BlockRule = (state: StateBlock, startLine: number, endLine: number, silent: boolean) => boolean;

/** Deeper quotes and lists stay text: markdown-it itself would drop content beyond maxNesting. */
const DEEPEST = 20;
/** Short rows are filled up to the width of the header, so a small text could otherwise produce a huge table. */
const MOST_TABLE_CELLS = 5000;
/** A typed cell takes two characters at least; this many more can be filled up. */
const FILLED_TABLE_CELLS = 500;

const require = createRequire(import.meta.url);
type Library = typeof import('markdown-it').default;
type MarkdownIt = InstanceType<Library>;

const library = lazy(() => require('markdown-it') as Library);
const markdown = lazy(createParser);

function createParser(): MarkdownIt {
  const markdown = new (library())({ html: false, breaks: true, linkify: true, maxNesting: 2 * DEEPEST });
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  markdown.linkify.add('ftp:', null).add('//', null);
  markdown.validateLink = isSafeLink;
  // A URL is shown as it is written: decoded, it could look like another.
  markdown.normalizeLinkText = (url) => url;
  markdown.disable(['html_block', 'html_inline', 'lheading']);
  // Without definitions (`[a]: url`) no text vanishes, and one long URL cannot be repeated a thousand times.
  markdown.disable('reference');
  // Disabled so that linkifiers and emoji can distinguish escaped characters from plain ones.
  markdown.disable('text_join');
  markdown.block.ruler.at('table', smallTable(builtInTable(markdown)), { alt: ['paragraph', 'reference'] });
  markdown.block.ruler.before('table', 'too_deep', tooDeep);
  markdown.block.ruler.before('fence', 'fenced_block', parseFencedBlock, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  });
  markdown.inline.ruler.before('emphasis', 'mention', mention);
  markdown.inline.ruler.before('emphasis', 'math', inlineMath);
  markdown.inline.ruler.before('autolink', 'time', inlineTime);
  markdown.inline.ruler.at('image', imageMark);
  markdown.inline.ruler2.before('fragments_join', 'image_marks', imageMarks);
  addHtml(markdown);
  return markdown;
}

/** Renderers of our own tokens. */
function addHtml({ renderer }: MarkdownIt) {
  renderer.rules.trusted_html = (tokens, index) => tokens[index]?.content ?? '';
  renderer.rules.spoiler_open = () => '<div class="spoiler-block"><div class="spoiler-header">\n';
  renderer.rules.spoiler_content = () => '</div><div class="spoiler-content" aria-hidden="true">\n';
  renderer.rules.spoiler_close = () => '</div></div>\n';
}

export function parse(content: string): Token[] {
  return markdown().parse(content, {});
}

/** The only function that writes HTML. markdown-it's renderer escapes every text and attribute. */
export function toHtml(blocks: Token[]): string {
  const { renderer, options } = markdown();
  return renderer.render(blocks, options, {}).trimEnd();
}

/** Bytes of the HTML of an inline token. */
export function countHtmlBytes(tokens: Token[]): number {
  const { renderer, options } = markdown();
  return Buffer.byteLength(renderer.renderInline(tokens, options, {}));
}

export function normalizeLink(url: string): string {
  return markdown().normalizeLink(url);
}

export function token(type: string, tag: string, nesting: -1 | 0 | 1): Token {
  return new (library().Token)(type, tag, nesting);
}

/** The ruler has no lookup of a rule by name; its functions have. */
function builtInTable(markdown: MarkdownIt): BlockRule {
  const rule = markdown.block.ruler.getRules('').find(({ name }) => name === 'table');
  if (!rule) throw new Error('markdown-it has no table rule');
  return rule;
}

function smallTable(table: BlockRule): BlockRule {
  return (state, startLine, endLine, silent) => {
    const most = Math.min(MOST_TABLE_CELLS, FILLED_TABLE_CELLS + state.src.length / 2);
    const left = typeof state.env.cells === 'number' ? state.env.cells : most;
    const marks = state.src.slice(state.bMarks[startLine + 1], state.eMarks[startLine + 1]);
    const rows = Math.floor(left / marks.split('|').length);
    if (rows < 1) return false;
    const before = state.tokens.length;
    if (!table(state, startLine, Math.min(endLine, startLine + 1 + rows), silent)) return false;
    if (silent) return true;
    const cells = state.tokens.slice(before).filter(({ type }) => type === 'th_open' || type === 'td_open');
    state.env.cells = left - cells.length;
    for (const cell of cells) alignWithoutStyle(cell);
    return true;
  };
}

/** Pages that forbid inline styles still show the alignment. */
function alignWithoutStyle(cell: Token) {
  const side = String(cell.attrGet('style') ?? '').replace('text-align:', '');
  cell.attrs = side ? [['align', side]] : null;
}

function tooDeep(state: StateBlock, startLine: number, endLine: number): boolean {
  if (state.level < DEEPEST) return false;
  let end = startLine + 1;
  while (end < endLine && !state.isEmpty(end) && (state.sCount[end] ?? -1) >= state.blkIndent) end += 1;
  state.line = end;
  state.push('paragraph_open', 'p', 1).map = [startLine, end];
  const text = state.push('inline', '', 0);
  text.content = state.getLines(startLine, end, state.blkIndent, false).trim();
  text.children = [];
  state.push('paragraph_close', 'p', -1);
  return true;
}

/** A mention keeps the typed text, and is parsed again where it is needed. Inside a link it is only text. */
function mention(state: StateInline, silent: boolean): boolean {
  const found = parseMentionAt(state.src, state.pos, state.posMax);
  if (!found) return false;
  const typed = state.src.slice(state.pos, found.end);
  if (!silent && state.linkLevel > 0) state.pending += typed;
  else if (!silent) state.push('mention', '', 0).content = typed;
  state.pos = found.end;
  return true;
}

/**
 * An image becomes a link: loading it would reveal to a foreign host who reads the message. The built-in rule also
 * parses nested images again and again; this one takes the `!` and leaves the rest to the link rule.
 */
function imageMark(state: StateInline, silent: boolean): boolean {
  if (!state.src.startsWith('![', state.pos)) return false;
  if (!silent) state.push('image_mark', '', 0).content = '!';
  state.pos += 1;
  return true;
}

function imageMarks(state: StateInline) {
  for (const [index, mark] of state.tokens.entries()) {
    if (mark.type !== 'image_mark') continue;
    mark.type = 'text';
    const next = state.tokens[index + 1];
    if (next?.type !== 'link_open') continue;
    mark.content = '';
    next.markup = 'image';
  }
}
