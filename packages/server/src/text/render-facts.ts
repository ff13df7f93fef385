import type { Mention } from './mentions.ts';

/** One linkifier, ready to use. */
export interface Linkifier {
  /** The cost of a search per character: 1 for an ordinary pattern, more for a larger one. */
  readonly weight: number;
  /** Its matches from left to right, with their URLs. Each is searched for on demand. */
  find(text: string): Iterable<{ start: number; end: number; url: string }>;
}

/** A Unicode emoji by its code (`1f44d`, parts joined with `-`), or a custom one by the path of its image. */
export type EmojiPicture = { code: string } | { image: string };

/** What the author of a text can refer to. Everything else stays plain text. */
export interface RenderFacts {
  users: readonly { id: number; full_name: string }[];
  groups: readonly { id: number; name: string }[];
  streams: readonly { id: number; name: string }[];
  linkifiers: readonly Linkifier[];
  emoji?: (name: string) => EmojiPicture | undefined;
  /** The language of code blocks without one. */
  code_language?: string;
}

export function collectFacts(known: Partial<RenderFacts> = {}): RenderFacts {
  return { users: [], groups: [], streams: [], linkifiers: [], ...known };
}

export type MentionedUser = RenderFacts['users'][number];
export type MentionedGroup = RenderFacts['groups'][number];
export type LinkedStream = RenderFacts['streams'][number];

export interface MentionDirectory {
  user(mention: Mention & { kind: 'person' }): MentionedUser | undefined;
  group(name: string): MentionedGroup | undefined;
  stream(name: string): LinkedStream | undefined;
}

/** The facts as lookup tables, created once per text, so that a thousand mentions cost a thousand steps. */
export function directoryOf(facts: RenderFacts): MentionDirectory {
  const users = new Map(facts.users.map((user) => [user.id, user]));
  const exact = groupBy(users.values(), (user) => user.full_name);
  const folded = groupBy(users.values(), (user) => user.full_name.toLowerCase());
  const groups = new Map(facts.groups.map((group) => [group.name, group]));
  const streams = new Map(facts.streams.map((stream) => [stream.name.toLowerCase(), stream]));
  return {
    user({ name, id }) {
      if (id === undefined) return only(exact.get(name) ?? folded.get(name.toLowerCase()));
      const user = users.get(id);
      return !name || user?.full_name.toLowerCase() === name.toLowerCase() ? user : undefined;
    },
    group: (name) => groups.get(name),
    stream: (name) => streams.get(name.toLowerCase()),
  };
}

function groupBy(users: Iterable<MentionedUser>, key: (user: MentionedUser) => string): Map<string, MentionedUser[]> {
  const groups = new Map<string, MentionedUser[]>();
  for (const user of users) {
    const group = groups.get(key(user));
    if (group) group.push(user);
    else groups.set(key(user), [user]);
  }
  return groups;
}

/** A name that several users share refers to none of them: a guess could alert the wrong user. */
function only(users: readonly MentionedUser[] | undefined): MentionedUser | undefined {
  return users?.length === 1 ? users[0] : undefined;
}
