import type { StateBlock } from 'markdown-it';

/** The opening line of a block between lines of ``` or ~~~. */
interface Fence {
  readonly mark: string;
  readonly length: number;
  /** The first word after the marks, in lower case: `quote`, `spoiler`, `math` or a language. */
  readonly kind: string;
  /** What follows that word. */
  readonly header: string;
}

const LINE = /^(`{3,}|~{3,})[ \t]*([^\s`]*)[ \t]*(.*)$/;
/** Their contents are Markdown, so blocks in them have fences of their own. */
const CONTAINERS: ReadonlySet<string> = new Set(['quote', 'quoted', 'spoiler']);

/** A block rule of markdown-it: quotes, spoilers and math between fences. Code is left to the rule after it. */
export function parseFencedBlock(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const fence = fenceAt(state, startLine);
  if (!fence || !(CONTAINERS.has(fence.kind) || fence.kind === 'math')) return false;
  if (silent) return true;
  const { end, isClosed } = findEnd(state, fence, startLine, endLine);
  if (fence.kind === 'math') pushMath(state, startLine, end);
  else if (fence.kind === 'spoiler') pushSpoiler(state, fence.header, startLine, end);
  else pushQuote(state, startLine, end);
  state.line = end + (isClosed ? 1 : 0);
  return true;
}

function fenceAt(state: StateBlock, line: number): Fence | undefined {
  if (indentOf(state, line) >= 4) return undefined;
  const text = state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]);
  const [, marks = '', kind = '', header = ''] = LINE.exec(text) ?? [];
  const mark = marks[0];
  // Backticks after backticks are code within a line.
  if (mark === undefined || (mark === '`' && header.includes('`'))) return undefined;
  return { mark, length: marks.length, kind: kind.toLowerCase(), header: header.trim() };
}

const indentOf = (state: StateBlock, line: number): number => (state.sCount[line] ?? 0) - state.blkIndent;

/** The line that ends a block. A block without one ends with its container. */
function findEnd(
  state: StateBlock,
  first: Fence,
  startLine: number,
  endLine: number,
): { end: number; isClosed: boolean } {
  const open = [first];
  for (let line = startLine + 1; line < endLine; line += 1) {
    // Less indented than the list item that contains the block: the item ends here.
    if (!state.isEmpty(line) && indentOf(state, line) < 0) return { end: line, isClosed: false };
    const fence = fenceAt(state, line);
    const innermost = open.at(-1);
    if (!fence || !innermost) continue;
    if (closes(fence, innermost)) open.pop();
    else if (CONTAINERS.has(innermost.kind)) open.push(fence);
    if (open.length === 0) return { end: line, isClosed: true };
  }
  return { end: endLine, isClosed: false };
}

const closes = (fence: Fence, open: Fence): boolean =>
  fence.mark === open.mark && fence.length >= open.length && fence.kind === '' && fence.header === '';

function pushMath(state: StateBlock, startLine: number, end: number) {
  const math = state.push('math_block', '', 0);
  math.content = state.getLines(startLine + 1, end, state.sCount[startLine] ?? 0, true);
}

function pushQuote(state: StateBlock, startLine: number, end: number) {
  state.push('blockquote_open', 'blockquote', 1);
  pushBlocks(state, startLine, end);
  state.push('blockquote_close', 'blockquote', -1);
}

function pushSpoiler(state: StateBlock, header: string, startLine: number, end: number) {
  state.push('spoiler_open', 'div', 1);
  if (header !== '') {
    state.push('paragraph_open', 'p', 1);
    const line = state.push('inline', '', 0);
    line.content = header;
    line.children = [];
    state.push('paragraph_close', 'p', -1);
  }
  state.push('spoiler_content', '', 0);
  pushBlocks(state, startLine, end);
  state.push('spoiler_close', 'div', -1);
}

function pushBlocks(state: StateBlock, startLine: number, end: number) {
  const { parentType, lineMax } = state;
  state.parentType = 'blockquote';
  state.lineMax = end;
  state.md.block.tokenize(state, startLine + 1, end);
  state.parentType = parentType;
  state.lineMax = lineMax;
}
