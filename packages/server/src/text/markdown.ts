import { type EmojiFound, emojiIn } from './emoji.ts';
import { type Directory, directoryOf, type Facts, factsOf } from './facts.ts';
import { type LinkifierBudget, linkifierBudget, linksIn } from './linkifiers.ts';
import { isImageLink, isSafeLink, isUpload, narrowLink, uploadIn } from './links.ts';
import { type Mention, mentionAt } from './mentions.ts';
import { htmlSizeOf, parse, type Token, toHtml, token } from './parser.ts';
import { shownText } from './shown.ts';

export { type EmojiPicture, type Facts, factsOf, type Linkifier } from './facts.ts';
export { pageBudget, topicLinks } from './linkifiers.ts';

/** What a text refers to, found by the same parse that renders it (so code and escapes are treated alike). */
export interface References {
  people: { name: string; id?: number; silent: boolean }[];
  groups: { name: string; silent: boolean }[];
  streams: string[];
  stream_wildcard: boolean;
  topic_wildcard: boolean;
}

export interface Rendered {
  html: string;
  /** Without silent mentions; unique, ascending. */
  mentioned_people: number[];
  mentioned_groups: number[];
  stream_wildcard: boolean;
  topic_wildcard: boolean;
  /** What people read of it, where the words that they watch for are looked for. */
  shown: string;
  is_me_message: boolean;
  has_link: boolean;
  has_image: boolean;
  has_attachment: boolean;
  /** The files that it links, each once. */
  uploads: { realm_id: number; key: string }[];
}

/** Bytes of HTML that emoji, mentions and links of the organization may add to a text: for each of its bytes, and in any case. */
const ADDED = { per_byte: 10, least: 20_000 };

/** A text being rendered: what is known, and what has been found so far. */
interface Draft {
  facts: Facts;
  directory: Directory;
  budget: LinkifierBudget;
  /** Bytes of HTML that may still be added. What has no room stays as it was typed. */
  room: number;
  people: Set<number>;
  groups: Set<number>;
  /** By organization and key. */
  uploads: Map<string, Rendered['uploads'][number]>;
  flags: Pick<Rendered, 'stream_wildcard' | 'topic_wildcard' | 'has_link' | 'has_image' | 'has_attachment'>;
}

export function references(content: string): References {
  const typed = new Set(parse(content).flatMap(({ children }) => (children ?? []).filter(isMention).map(textOf)));
  const mentions = [...typed].map((text) => mentionAt(text, 0)?.mention);
  const found: References = {
    people: [],
    groups: [],
    streams: [],
    stream_wildcard: false,
    topic_wildcard: false,
  };
  const streams = new Set<string>();
  for (const mention of mentions) {
    if (mention?.kind === 'person') {
      const { kind: _, ...person } = mention;
      found.people.push(person);
    } else if (mention?.kind === 'group') found.groups.push({ name: mention.name, silent: mention.silent });
    else if (mention?.kind === 'stream') streams.add(mention.name);
    else if (mention && !mention.silent) found[mention.kind] = true;
  }
  return { ...found, streams: [...streams] };
}

export function render(content: string, facts: Facts): Rendered {
  const draft = newDraft(content, facts);
  const blocks = parse(content);
  for (const block of blocks) {
    if (block.children) block.children = settle(draft, block.children);
    if (block.type === 'fence') block.info = block.info.trim() || languageOf(draft);
  }
  const isOneParagraph = blocks.length === 3 && blocks[0]?.type === 'paragraph_open';
  return {
    html: toHtml(blocks),
    shown: shownText(blocks),
    mentioned_people: ascending(draft.people),
    mentioned_groups: ascending(draft.groups),
    is_me_message: content.startsWith('/me ') && isOneParagraph,
    uploads: [...draft.uploads.values()],
    ...draft.flags,
  };
}

/** For stream descriptions: the same renderer without any facts. Blank text gives an empty string. */
export function renderPlain(markdown: string): string {
  return render(markdown, factsOf()).html;
}

function newDraft(content: string, facts: Facts): Draft {
  return {
    facts,
    directory: directoryOf(facts),
    budget: linkifierBudget(),
    room: ADDED.least + ADDED.per_byte * Buffer.byteLength(content),
    people: new Set(),
    groups: new Set(),
    uploads: new Map(),
    flags: {
      stream_wildcard: false,
      topic_wildcard: false,
      has_link: false,
      has_image: false,
      has_attachment: false,
    },
  };
}

/** Takes the room for these; false if there is too little. */
function takeRoom(draft: Draft, tokens: Token[]): boolean {
  const size = htmlSizeOf(tokens);
  if (size > draft.room) return false;
  draft.room -= size;
  return true;
}

/** The language of a code block that names none. */
function languageOf(draft: Draft): string {
  const language = draft.facts.code_language ?? '';
  if (language.length > draft.room) return '';
  draft.room -= language.length;
  return language;
}

/** Turns what the parser only recognised into what readers see, now that the facts are known. */
function settle(draft: Draft, tokens: Token[]): Token[] {
  const settled: Token[] = [];
  let link: Token | undefined;
  for (const token of tokens) {
    if (token.type === 'link_open') link = token;
    for (const piece of settleOne(draft, token, link)) settled.push(piece);
    if (token.type === 'link_close') link = undefined;
  }
  return settled;
}

function settleOne(draft: Draft, token: Token, link: Token | undefined): Token[] {
  if (token.type === 'mention') return settleMention(draft, token.content);
  if (token.type === 'text_special') return [text(token.content)];
  if (token.type === 'text' && !link) return linkified(draft, token.content);
  // An address that became a link by itself is shown as it is, even with an emoji's name in its path.
  if (token.type === 'text' && link?.info !== 'auto') return withEmoji(draft, token.content);
  if (!link || (token.type !== 'link_open' && token.type !== 'link_close')) return [token];
  return settleLink(draft, token, link);
}

/** The parser accepts an empty address, `[a]()`, without asking whether it is safe. */
function settleLink(draft: Draft, token: Token, link: Token): Token[] {
  const url = String(link.attrGet('href') ?? '');
  const isImage = link.markup === 'image';
  if (!isSafeLink(url)) return [text(token.nesting < 0 ? ']()' : isImage ? '![' : '[')];
  noteLink(draft, url, isImage);
  return [token];
}

function noteLink(draft: Draft, url: string, isImage: boolean) {
  draft.flags.has_link = true;
  if (isImage || isImageLink(url)) draft.flags.has_image = true;
  if (isUpload(url)) draft.flags.has_attachment = true;
  const upload = uploadIn(url);
  if (upload) draft.uploads.set(`${upload.realm_id}/${upload.key}`, upload);
}

function linkified(draft: Draft, content: string): Token[] {
  const pieces: Token[] = [];
  let done = 0;
  for (const { start, end, url } of linksIn(content, draft.facts.linkifiers, draft.budget)) {
    const link = element('a', { href: url }, content.slice(start, end));
    if (!takeRoom(draft, link)) continue;
    pieces.push(...withEmoji(draft, content.slice(done, start)), ...link);
    noteLink(draft, url, false);
    done = end;
  }
  return [...pieces, ...withEmoji(draft, content.slice(done))];
}

function withEmoji(draft: Draft, content: string): Token[] {
  const pieces: Token[] = [];
  let done = 0;
  for (const emoji of emojiIn(content, draft.facts.emoji)) {
    const shown = emojiElement(emoji);
    if (!takeRoom(draft, shown)) continue;
    pieces.push(text(content.slice(done, emoji.start)), ...shown);
    done = emoji.end;
  }
  return [...pieces, text(content.slice(done))];
}

function emojiElement({ name, picture }: EmojiFound): Token[] {
  if ('text' in picture) return element('span', { class: 'emoji', title: name }, picture.text);
  const image = token('emoji', 'img', 0);
  image.attrs = Object.entries({ class: 'emoji', alt: `:${name}:`, title: name, src: picture.image });
  return [image];
}

function settleMention(draft: Draft, typed: string): Token[] {
  const mention = mentionAt(typed, 0)?.mention;
  return (mention && mentionElement(draft, mention)) ?? [text(typed)];
}

/** Notes who is meant and shows it; undefined when the facts know no such person, group or stream, or there is no room. */
function mentionElement(draft: Draft, mention: Mention): Token[] | undefined {
  const before = mentionedCount(draft);
  const shown = noteMention(draft, mention);
  // Whom a text is for does not depend on room: the first mention of each is always shown.
  return shown && (takeRoom(draft, shown) || mentionedCount(draft) > before) ? shown : undefined;
}

const mentionedCount = ({ people, groups, flags }: Draft): number =>
  people.size + groups.size + Number(flags.stream_wildcard) + Number(flags.topic_wildcard);

function noteMention(draft: Draft, mention: Mention): Token[] | undefined {
  if (mention.kind === 'stream') return streamElement(draft, mention.name, mention.topic);
  const { name, silent } = mention;
  if (mention.kind === 'person') {
    const person = draft.directory.person(mention);
    if (!person) return undefined;
    if (!silent) draft.people.add(person.id);
    return mentionSpan('user-mention', silent, person.full_name, { 'data-user-id': String(person.id) });
  }
  if (mention.kind === 'group') {
    const group = draft.directory.group(name);
    if (!group) return undefined;
    if (!silent) draft.groups.add(group.id);
    return mentionSpan('user-group-mention', silent, group.name, { 'data-user-group-id': String(group.id) });
  }
  if (!silent) draft.flags[mention.kind] = true;
  if (mention.kind === 'topic_wildcard') return mentionSpan('topic-mention', silent, name, {});
  return mentionSpan('user-mention', silent, name, { 'data-user-id': '*' });
}

function mentionSpan(kind: string, silent: boolean, name: string, data: Record<string, string>): Token[] {
  const shown = silent ? { class: `${kind} silent`, text: name } : { class: kind, text: `@${name}` };
  return element('span', { class: shown.class, ...data }, shown.text);
}

function streamElement(draft: Draft, name: string, topic?: string): Token[] | undefined {
  const stream = draft.directory.stream(name);
  if (!stream) return undefined;
  const kind = topic === undefined ? 'stream' : 'stream-topic';
  const shown = topic === undefined ? `#${stream.name}` : `#${stream.name} > ${topic}`;
  const attributes = { class: kind, 'data-stream-id': String(stream.id), href: narrowLink(stream, topic) };
  return element('a', attributes, shown);
}

function element(tag: 'a' | 'span', attributes: Record<string, string>, content: string): Token[] {
  const open = token('element_open', tag, 1);
  open.attrs = Object.entries(attributes);
  return [open, text(content), token('element_close', tag, -1)];
}

function text(content: string): Token {
  const piece = token('text', '', 0);
  piece.content = content;
  return piece;
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
