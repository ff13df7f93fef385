// Operations that write, compared with the rules: what a user cannot read, they cannot change.
import { expect } from 'vitest';
import { canSeeStream } from '../../src/access/rules.ts';
import { idsOf, named, outcome, type Reader, sample } from './reader.ts';

/** Drafts are their author's alone, and name only streams that the author sees. */
export async function compareDrafts(reader: Reader): Promise<void> {
  const { api, facts, user } = reader;
  const ids: number[] = [];
  for (const stream of facts.streams.values()) {
    const sees = canSeeStream(user, stream, facts.membership(user.id, stream.id).active);
    const draft = { type: 'stream' as const, to: [stream.id], topic: 'soup', content: `draft of ${user.id}` };
    const made = api.createDrafts({ drafts: [draft] });
    const expected = sees ? 'ok' : 'BAD_REQUEST';
    expect(await outcome(made), named(reader, `a draft for stream ${stream.id}`)).toBe(expected);
    if (sees) ids.push(...(await made).ids);
  }
  const { drafts } = await api.getDrafts();
  expect(idsOf(drafts), named(reader, 'drafts')).toEqual(ids);
  for (const draft_id of ids) await api.deleteDraft({ draft_id });
}

/** Changing an object that a user cannot read fails as if it did not exist. */
export async function compareWrites(reader: Reader): Promise<void> {
  const { api, hidden } = reader;
  for (const { id: message_id } of sample(hidden)) {
    const outcomes = {
      star: await outcome(api.updateMessageFlags({ messages: [message_id], op: 'add', flag: 'starred' })),
      read: await api.updateMessageFlags({ messages: [message_id], op: 'add', flag: 'read' }),
      react: await outcome(api.addReaction({ message_id, emoji_name: 'tada' })),
      unreact: await outcome(api.removeReaction({ message_id, emoji_name: 'tada' })),
      edit: await outcome(api.updateMessage({ message_id, content: 'mine' })),
      delete: await outcome(api.deleteMessage({ message_id })),
    };
    const [no, none] = ['BAD_REQUEST', { messages: [] }];
    expect(outcomes, named(reader, `hidden message ${message_id}`)).toEqual({
      star: no,
      read: none,
      react: no,
      unreact: no,
      edit: no,
      delete: no,
    });
  }
}
