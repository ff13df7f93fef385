import { describe, expect, test } from 'vitest';
import type { EditRow, MoveRow } from '../queries/history.ts';
import {
  countStateBytes,
  listSnapshots,
  listVisibleEdits,
  type MessageHistory,
  presentEdit,
  toMessageChanges,
} from './history.ts';

const moved = (id: number, fields: Partial<MoveRow>): MoveRow => ({
  id,
  user_id: 3,
  at: id * 100,
  from_stream_id: 7,
  to_stream_id: 7,
  from_topic_id: 1,
  to_topic_id: 2,
  from_topic: 'soup',
  to_topic: 'stew',
  up_to: null,
  ...fields,
});
/** A topic was renamed, with all its messages up to an id. */
const renamed = (id: number, topic_id: number, up_to: number, names: [string, string]): MoveRow =>
  moved(id, { from_topic_id: topic_id, to_topic_id: topic_id, up_to, from_topic: names[0], to_topic: names[1] });
const edited = (id: number, at: number, prev_content: string, move_id: number | null = null): EditRow => ({
  message_id: 50,
  id,
  user_id: 4,
  at,
  prev_content,
  prev_rendered_content: `<p>${prev_content}</p>`,
  move_id,
  size: 100,
});
const editsOf = (one: MessageHistory) => toMessageChanges(one).map(presentEdit);
const past = (fields: Partial<MessageHistory>): MessageHistory => ({
  id: 50,
  topic_id: 1,
  moves: [],
  renamings: [],
  edits: [],
  ...fields,
});

const words = (prev_content: string) => ({
  prev_content,
  prev_rendered_content: `<p>${prev_content}</p>`,
  prev_rendered_content_version: 1,
});

describe('an entry of a history', () => {
  test('has the keys that changed, and the time in seconds', () => {
    expect(editsOf(past({ edits: [edited(1, 12.9, 'pea')] }))).toEqual([
      { user_id: 4, timestamp: 12, ...words('pea') },
    ]);
    expect(editsOf(past({ topic_id: 2, moves: [moved(1, {})] }))).toEqual([
      { user_id: 3, timestamp: 100, prev_topic: 'soup', topic: 'stew' },
    ]);
    const away = moved(1, { to_stream_id: 8, to_topic: 'soup' });
    expect(editsOf(past({ topic_id: 2, moves: [away] }))).toEqual([
      { user_id: 3, timestamp: 100, prev_stream: 7, stream: 8 },
    ]);
    const both = moved(1, { to_stream_id: 8 });
    expect(editsOf(past({ topic_id: 2, moves: [both] }))).toMatchObject([{ prev_topic: 'soup', prev_stream: 7 }]);
  });

  test('is one for content and topic that changed together, whether the message moved or its topic was renamed', () => {
    const entry = { user_id: 3, timestamp: 100, ...words('pea'), prev_topic: 'soup', topic: 'stew' };
    const edits = [edited(9, 100, 'pea', 1)];
    expect(editsOf(past({ topic_id: 2, moves: [moved(1, {})], edits }))).toEqual([entry]);
    expect(editsOf(past({ renamings: [renamed(1, 1, 60, ['soup', 'stew'])], edits }))).toEqual([entry]);
  });

  test('comes before older ones', () => {
    const found = editsOf(
      past({
        topic_id: 2,
        moves: [moved(2, {})],
        renamings: [renamed(1, 1, 60, ['broth', 'soup']), renamed(3, 2, 60, ['stew', 'ragout'])],
        edits: [edited(1, 150, 'pea'), edited(2, 350, 'leek')],
      }),
    );
    expect(found.map(({ timestamp }) => timestamp)).toEqual([350, 300, 200, 150, 100]);
  });
});

describe('the rename of a topic is in the history of a message', () => {
  const soup = renamed(5, 1, 60, ['soup', 'stew']);
  test.each<[string, Partial<MessageHistory>, boolean]>([
    ['that was in the topic', {}, true],
    ['that was its newest', { id: 60 }, true],
    ['not one that was sent later', { id: 61 }, false],
    ['not one that came into the topic later', { moves: [moved(6, { from_topic_id: 2, to_topic_id: 1 })] }, false],
    ['one that had come before', { moves: [moved(4, { from_topic_id: 2, to_topic_id: 1 })] }, true],
    ['one that went later', { topic_id: 2, moves: [moved(6, {})] }, true],
    ['not one that had gone before', { topic_id: 2, moves: [moved(4, {})] }, false],
    [
      'not one that was elsewhere just then',
      { moves: [moved(4, {}), moved(6, { from_topic_id: 2, to_topic_id: 1 })] },
      false,
    ],
    [
      'one that was here just then',
      { topic_id: 2, moves: [moved(4, { from_topic_id: 2, to_topic_id: 1 }), moved(6, {})] },
      true,
    ],
    ['not one of another topic', { topic_id: 2 }, false],
  ])('%s', (_case, expected, is) => {
    const entries = editsOf(past({ ...expected, renamings: [soup] }));
    expect(entries.some(({ timestamp }) => timestamp === 500)).toBe(is);
  });

  test('and a move that is no rename is in the history only of its own messages', () => {
    expect(editsOf(past({ renamings: [moved(1, {})] }))).toEqual([]);
  });
});

describe('the states of a message, oldest first', () => {
  const now = { topic: 'stew', content: 'rye', rendered_content: '<p>rye</p>', sender_id: 9, sent_at: 10.9 };

  test('are the original one, and one for each change', () => {
    const edits = [
      { user_id: 4, timestamp: 40, ...words('leek') },
      { user_id: 3, timestamp: 30, prev_topic: 'soup', topic: 'stew', prev_stream: 7, stream: 8 },
      { user_id: 4, timestamp: 20, ...words('pea') },
    ];
    const say = (content: string) => ({ content, rendered_content: `<p>${content}</p>` });
    const { prev_rendered_content_version: _, ...pea } = words('pea');
    const { prev_rendered_content_version: __, ...leek } = words('leek');
    expect(listSnapshots(now, edits)).toEqual([
      { topic: 'soup', ...say('pea'), timestamp: 10, user_id: 9 },
      { topic: 'soup', ...say('leek'), timestamp: 20, user_id: 4, ...pea },
      { topic: 'stew', ...say('leek'), timestamp: 30, user_id: 3, prev_topic: 'soup', prev_stream: 7, stream: 8 },
      { topic: 'stew', ...say('rye'), timestamp: 40, user_id: 4, ...leek },
    ]);
  });

  test('of an unchanged message are one', () => {
    expect(listSnapshots(now, [])).toEqual([
      { topic: 'stew', content: 'rye', rendered_content: '<p>rye</p>', timestamp: 10, user_id: 9 },
    ]);
  });

  test('render an empty content as a paragraph', () => {
    const [first] = listSnapshots(now, [{ user_id: 4, timestamp: 20, ...words('') }]);
    expect(first).toMatchObject({ content: '', rendered_content: '<p></p>' });
  });
});

describe('a page has of the history of a message', () => {
  const [one, two, three] = [edited(1, 150, 'pea'), edited(2, 250, 'leek'), edited(3, 350, 'rye')];
  const withoutText = (edit: EditRow): EditRow => ({ ...edit, prev_content: null, prev_rendered_content: null });
  const timestamps = (fields: Partial<MessageHistory>, complete_since?: number) => {
    const { edits, ...shown } = listVisibleEdits(past(fields), complete_since);
    return { ...shown, at: edits.map(({ timestamp }) => timestamp) };
  };

  test('all of it where there is room', () => {
    expect(timestamps({ edits: [one, two, three] })).toEqual({ at: [350, 250, 150], last_at: 350, truncated: false });
    expect(timestamps({})).toEqual({ at: [], last_at: undefined, truncated: false });
  });

  test('the entries newer than the first content without room, moves included', () => {
    const moves = [moved(1, { to_topic_id: 1 }), moved(3, { from_topic_id: 1, to_topic_id: 1 })];
    const edits = [withoutText(two), three];
    expect(timestamps({ moves, edits })).toEqual({ at: [350, 300], last_at: 350, truncated: true });
  });

  test('the time of the last change even without room for any entry', () => {
    expect(timestamps({ edits: [withoutText(three)] })).toEqual({ at: [], last_at: 350, truncated: true });
  });

  test('no entry from before its list of moves is complete', () => {
    expect(timestamps({ edits: [one, two, three] }, 200)).toEqual({ at: [350, 250], last_at: 350, truncated: true });
  });
});

test('the size of a state is that of its content and of the content that it replaced', () => {
  const sized = (id: number, size: number) => ({ ...edited(id, id * 100, 'x'), size });
  const changes = toMessageChanges(
    past({ moves: [moved(2, { to_topic_id: 1 })], edits: [sized(1, 10), sized(3, 300)] }),
  );
  expect(countStateBytes(7000, changes.reverse())).toEqual([10, 310, 300, 7300]);
  expect(countStateBytes(7000, [])).toEqual([7000]);
});
