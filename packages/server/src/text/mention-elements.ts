import { element, text } from './elements.ts';
import { narrowLink } from './links.ts';
import { type Mention, parseMentionAt } from './mentions.ts';
import type { Token } from './parser.ts';
import { type RenderState, reserveHtmlBytes } from './render-state.ts';

export function renderMention(draft: RenderState, typed: string): Token[] {
  const mention = parseMentionAt(typed, 0)?.mention;
  return (mention && mentionElement(draft, mention)) ?? [text(typed)];
}
/** Records and renders a mention; undefined when the facts have no such user, group or stream, or there is no room. */
function mentionElement(draft: RenderState, mention: Mention): Token[] | undefined {
  const before = mentionedCount(draft);
  const shown = noteMention(draft, mention);
  // Recipients must not depend on room: the first mention of each is always rendered.
  return shown && (reserveHtmlBytes(draft, shown) || mentionedCount(draft) > before) ? shown : undefined;
}

const mentionedCount = ({ people, groups, flags }: RenderState): number =>
  people.size + groups.size + Number(flags.stream_wildcard) + Number(flags.topic_wildcard);

function noteMention(draft: RenderState, mention: Mention): Token[] | undefined {
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

function streamElement(draft: RenderState, name: string, topic?: string): Token[] | undefined {
  const stream = draft.directory.stream(name);
  if (!stream) return undefined;
  const kind = topic === undefined ? 'stream' : 'stream-topic';
  const shown = topic === undefined ? `#${stream.name}` : `#${stream.name} > ${topic}`;
  const attributes = { class: kind, 'data-stream-id': String(stream.id), href: narrowLink(stream, topic) };
  return element('a', attributes, shown);
}
