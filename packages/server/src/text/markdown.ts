import { renderCodeBlock } from './code-blocks.ts';
import { element, text, trustedHtml } from './elements.ts';
import { type EmojiFound, listEmojiInText } from './emoji.ts';
import { escapeHtml } from './escape-html.ts';
import { htmlToVisibleText } from './html-to-text.ts';
import { findLinks } from './linkifiers.ts';
import { findUploadInLink, isImageLink, isSafeLink, isUpload } from './links.ts';
import { renderInlineMath, renderMathBlock } from './math.ts';
import { renderMention } from './mention-elements.ts';
import { parseMentionAt } from './mentions.ts';
import { parse, type Token, toHtml, token } from './parser.ts';
import { renderPreviews } from './previews.ts';
import { collectFacts, type RenderFacts } from './render-facts.ts';
import { createRenderState, type LinkedUpload, type RenderState, reserveHtmlBytes } from './render-state.ts';
import { parseUtcTime } from './timestamps.ts';

export { createPageLinkifierBudget, listTopicLinks } from './linkifiers.ts';
export { collectFacts, type EmojiPicture, type Linkifier, type RenderFacts } from './render-facts.ts';

/** The references in a text, found by the same parse that renders it, so that code and escapes are treated alike. */
export interface References {
  users: { name: string; id?: number; silent: boolean }[];
  groups: { name: string; silent: boolean }[];
  streams: string[];
  stream_wildcard: boolean;
  topic_wildcard: boolean;
}

export interface Rendered {
  html: string;
  /** Without silent mentions; unique, ascending. */
  mentioned_users: number[];
  mentioned_groups: number[];
  stream_wildcard: boolean;
  topic_wildcard: boolean;
  /** Its visible text, in which alert words are searched. */
  shown: string;
  is_me_message: boolean;
  has_link: boolean;
  has_image: boolean;
  has_attachment: boolean;
  /** The files that it links, each once. */
  uploads: LinkedUpload[];
}

/** How mentions begin. */
const MENTION = /[@#]/;

export function references(content: string): References {
  const parsed = MENTION.test(content) ? parse(content) : [];
  const typed = new Set(parsed.flatMap(({ children }) => (children ?? []).filter(isMention).map(textOf)));
  const mentions = [...typed].map((text) => parseMentionAt(text, 0)?.mention);
  const found: References = {
    users: [],
    groups: [],
    streams: [],
    stream_wildcard: false,
    topic_wildcard: false,
  };
  const streams = new Set<string>();
  for (const mention of mentions) {
    if (mention?.kind === 'person') {
      const { kind: _, ...user } = mention;
      found.users.push(user);
    } else if (mention?.kind === 'group') found.groups.push({ name: mention.name, silent: mention.silent });
    else if (mention?.kind === 'stream') streams.add(mention.name);
    else if (mention && !mention.silent) found[mention.kind] = true;
  }
  return { ...found, streams: [...streams] };
}

export function render(content: string, facts: RenderFacts): Rendered {
  const draft = createRenderState(content, facts);
  const parsed = parse(content);
  const isOneParagraph = parsed.length === 3 && parsed[0]?.type === 'paragraph_open';
  const blocks = settleBlocks(draft, parsed);
  return {
    html: toHtml(blocks),
    shown: htmlToVisibleText(blocks),
    mentioned_users: ascending(draft.user_ids),
    mentioned_groups: ascending(draft.groups),
    is_me_message: content.startsWith('/me ') && isOneParagraph,
    uploads: [...draft.uploads.values()],
    ...draft.flags,
  };
}

/** For stream descriptions: the same renderer without any facts. Blank text results in an empty string. */
export function renderPlain(markdown: string): string {
  return render(markdown, collectFacts()).html;
}

/** Renders what the parser only recognized, now that the facts are known. */
function settleBlocks(draft: RenderState, blocks: Token[]): Token[] {
  const settled: Token[] = [];
  let quotes = 0;
  let previews = '';
  for (const block of blocks) {
    if (block.type === 'blockquote_open') quotes += 1;
    if (block.type === 'blockquote_close') quotes -= 1;
    // A table cell contains its previews; a paragraph cannot.
    if (previews && block.tag.startsWith('t')) settled.push(trustedHtml(previews));
    settled.push(settleBlock(draft, block));
    if (previews && !block.tag.startsWith('t')) settled.push(trustedHtml(previews));
    // A quotation has shown its images already.
    previews = block.children && quotes === 0 ? renderPreviews(draft, block.children) : '';
  }
  return settled;
}

function settleBlock(draft: RenderState, block: Token): Token {
  if (block.type === 'fence') return trustedHtml(renderCodeBlock(draft, block.content, block.info));
  if (block.type === 'code_block') return trustedHtml(renderCodeBlock(draft, block.content, undefined));
  if (block.type === 'math_block') return trustedHtml(renderMathBlock(draft, block.content));
  if (block.children) block.children = settle(draft, block.children);
  return block;
}

function settle(draft: RenderState, tokens: Token[]): Token[] {
  const settled: Token[] = [];
  let link: Token | undefined;
  for (const token of tokens) {
    if (token.type === 'link_open') link = token;
    for (const piece of settleOne(draft, token, link)) settled.push(piece);
    if (token.type === 'link_close') link = undefined;
  }
  return settled;
}

function settleOne(draft: RenderState, token: Token, link: Token | undefined): Token[] {
  if (token.type === 'mention') return renderMention(draft, token.content);
  if (token.type === 'math') return renderInlineMath(draft, token.content);
  if (token.type === 'time') return timeElement(token.content);
  if (token.type === 'text_special') return [text(token.content)];
  if (token.type === 'text' && !link) return linkified(draft, token.content);
  // An autolinked URL is shown as it is, even with an emoji's name in its path.
  if (token.type === 'text' && link?.info !== 'auto') return withEmoji(draft, token.content);
  if (!link || (token.type !== 'link_open' && token.type !== 'link_close')) return [token];
  return settleLink(draft, token, link);
}

/** The parser accepts an empty URL, `[a]()`, without checking whether it is safe. */
function settleLink(draft: RenderState, token: Token, link: Token): Token[] {
  const url = String(link.attrGet('href') ?? '');
  const isImage = link.markup === 'image';
  if (!isSafeLink(url)) return [text(token.nesting < 0 ? ']()' : isImage ? '![' : '[')];
  noteLink(draft, url, isImage);
  return [token];
}

function noteLink(draft: RenderState, url: string, isImage: boolean) {
  draft.flags.has_link = true;
  if (isImage || isImageLink(url)) draft.flags.has_image = true;
  if (isUpload(url)) draft.flags.has_attachment = true;
  const upload = findUploadInLink(url);
  if (upload) draft.uploads.set(`${upload.realm_id}/${upload.key}`, upload);
}

function linkified(draft: RenderState, content: string): Token[] {
  const pieces: Token[] = [];
  let done = 0;
  for (const { start, end, url } of findLinks(content, draft.facts.linkifiers, draft.budget)) {
    const link = element('a', { href: url }, content.slice(start, end));
    if (!reserveHtmlBytes(draft, link)) continue;
    pieces.push(...withEmoji(draft, content.slice(done, start)), ...link);
    noteLink(draft, url, false);
    done = end;
  }
  return [...pieces, ...withEmoji(draft, content.slice(done))];
}

function withEmoji(draft: RenderState, content: string): Token[] {
  const pieces: Token[] = [];
  let done = 0;
  for (const emoji of listEmojiInText(content, draft.facts.emoji)) {
    const element = emojiElement(emoji);
    if (!reserveHtmlBytes(draft, element)) continue;
    pieces.push(text(content.slice(done, emoji.start)), ...element);
    done = emoji.end;
  }
  return [...pieces, text(content.slice(done))];
}

function emojiElement({ name, picture }: EmojiFound): Token[] {
  if ('code' in picture) return [trustedHtml(unicodeEmojiHtml(name, picture.code))];
  const image = token('emoji', 'img', 0);
  image.attrs = Object.entries({ class: 'emoji', alt: `:${name}:`, title: name, src: picture.image });
  return [image];
}

/** Clients render it by its class; others show the name. */
function unicodeEmojiHtml(name: string, code: string): string {
  const label = escapeHtml(name.replaceAll('_', ' '));
  return `<span aria-label="${label}" class="emoji emoji-${code}" role="img" title="${label}">:${escapeHtml(name)}:</span>`;
}

function timeElement(typed: string): Token[] {
  const time = parseUtcTime(typed);
  if (time === undefined) return element('span', { class: 'timestamp-error' }, `Invalid time format: ${typed}`);
  return element('time', { datetime: time }, typed);
}

function isMention({ type }: Token): boolean {
  return type === 'mention';
}

function textOf({ content }: Token): string {
  return content;
}

function ascending(ids: ReadonlySet<number>): number[] {
  return [...ids].sort((one, other) => one - other);
}
