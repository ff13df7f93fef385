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
  const element = noteMention(draft, mention);
  // Recipients must not depend on room: the first mention of each is always rendered.
  return element && (reserveHtmlBytes(draft, element) || mentionedCount(draft) > before) ? element : undefined;
}

const mentionedCount = ({ user_ids, groups, flags }: RenderState): number =>
  user_ids.size + groups.size + Number(flags.stream_wildcard) + Number(flags.topic_wildcard);

function noteMention(draft: RenderState, mention: Mention): Token[] | undefined {
  if (mention.kind === 'stream') return streamElement(draft, mention.name, mention.topic);
  const { name, silent } = mention;
  if (mention.kind === 'person') {
    const user = draft.directory.user(mention);
    if (!user) return undefined;
    if (!silent) draft.user_ids.add(user.id);
    return mentionSpan('user-mention', silent, user.full_name, { 'data-user-id': String(user.id) });
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
  const label = silent ? { class: `${kind} silent`, text: name } : { class: kind, text: `@${name}` };
  return element('span', { class: label.class, ...data }, label.text);
}

function streamElement(draft: RenderState, name: string, topic?: string): Token[] | undefined {
  const stream = draft.directory.stream(name);
  if (!stream) return undefined;
  const kind = topic === undefined ? 'stream' : 'stream-topic';
  const label = topic === undefined ? `#${stream.name}` : `#${stream.name} > ${topic}`;
  const attributes = { class: kind, 'data-stream-id': String(stream.id), href: narrowLink(stream, topic) };
  return element('a', attributes, label);
}
