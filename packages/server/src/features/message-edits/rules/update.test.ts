import { describe, expect, test } from 'vitest';
import type { Params } from '../../../core/contract.ts';
import {
  canEditContent,
  changeProblem,
  type EditableMessage,
  getResolution,
  isOnlyResolution,
  isPast,
  toMessageUpdate,
} from './update.ts';

type UpdateMessageParams = Params<'updateMessage'>;
const toParams = (changes: Partial<UpdateMessageParams>): UpdateMessageParams => ({
  message_id: 1,
  propagate_mode: 'change_one',
  send_notification_to_old_thread: false,
  send_notification_to_new_thread: true,
  ...changes,
});
const message: EditableMessage = { id: 1, conversation_id: 7, topic: 'Soup', sender: { id: 3 }, sent_at: 0 };
const direct: EditableMessage = { ...message, topic: null };

describe('the change of a request', () => {
  test.each<[string, EditableMessage, Partial<UpdateMessageParams>, object]>([
    ['nothing', message, {}, {}],
    ['content as it is kept', message, { content: '\n leek \n' }, { content: ' leek' }],
    ['blank content', message, { content: ' \n' }, { content: '(deleted)' }],
    ['the topic, trimmed', message, { topic: ' stew ' }, { topic: 'stew' }],
    ['not the topic that it has', message, { topic: ' Soup ' }, {}],
    ['the case of the topic', message, { topic: 'soup' }, { topic: 'soup' }],
    ['a blank topic is one', message, { topic: ' ' }, { topic: '' }],
    ['not the topic that a direct message has not', direct, { topic: ' ' }, {}],
    ['another stream', message, { stream_id: 8 }, { stream_id: 8 }],
    ['not the stream that it is in', message, { stream_id: 7 }, {}],
  ])('%s', (_case, target, params, change) => expect(toMessageUpdate(target, toParams(params))).toEqual(change));
});

describe('the first error of a request', () => {
  const many = { propagate_mode: 'change_all' } as const;
  test.each<
    [string, EditableMessage, Partial<UpdateMessageParams>, RegExp | undefined, { me?: number; editing?: boolean }?]
  >([
    ['content by its sender', message, { content: 'x' }, undefined],
    ['content and topic', message, { content: 'x', topic: 'stew' }, undefined],
    ['content and topic of a whole topic', message, { content: 'x', topic: 'stew', ...many }, undefined],
    ['stream and topic by anyone', message, { stream_id: 8, topic: 'stew' }, undefined, { me: 4 }],
    ['the stream that it is in', message, { stream_id: 7, ...many }, undefined],
    ['topic, where content cannot be edited', message, { topic: 'stew' }, undefined, { editing: false }],
    ['content of a direct message', direct, { content: 'x', topic: '' }, undefined],
    ['2 content, where it cannot be edited', message, { content: 'x' }, /cannot be edited/, { editing: false }],
    ['2 before 4', direct, { content: 'x', topic: 'stew' }, /cannot be edited/, { editing: false }],
    ['2 before 5', message, { content: 'x', ...many }, /cannot be edited/, { editing: false }],
    ['2 before 8', message, { content: 'x' }, /cannot be edited/, { me: 4, editing: false }],
    ['3 nothing', message, {}, /nothing/],
    ['3 the same topic', message, { topic: 'Soup' }, /nothing/],
    ['3 before 5', message, many, /nothing/],
    ['3 a blank topic for a direct message', direct, { topic: ' ' }, /nothing/],
    ['4 a topic for a direct message', direct, { topic: 'stew' }, /direct message/],
    ['4 a stream for a direct message', direct, { stream_id: 8 }, /direct message/],
    ['4 before 6', direct, { topic: 'x'.repeat(61) }, /direct message/],
    ['4 before 7', direct, { content: 'x', stream_id: 8 }, /direct message/],
    ['4 before 8', direct, { content: 'x', topic: 'stew' }, /direct message/, { me: 4 }],
    ['5 later messages for content alone', message, { content: 'x', propagate_mode: 'change_later' }, /propagate_mode/],
    [
      '5 later messages for content and the same topic',
      message,
      { content: 'x', topic: 'Soup', ...many },
      /propagate_mode/,
    ],
    ['5 before 8', message, { content: 'x', ...many }, /propagate_mode/, { me: 4 }],
    ['6 a blank topic', message, { topic: ' ' }, /blank/],
    ['6 a topic that is too long', message, { topic: 'x'.repeat(61) }, /60/],
    ['6 a topic with a forbidden character', message, { topic: 'so\u0007up' }, /position 3/],
    ['6 before 7', message, { topic: ' ', content: 'x', stream_id: 8 }, /blank/],
    ['6 before 8', message, { topic: ' ', content: 'x' }, /blank/, { me: 4 }],
    ['7 content and stream', message, { content: 'x', stream_id: 8 }, /content, stream_id/],
    ['7 content and the stream that it is in', message, { content: 'x', stream_id: 7 }, /content, stream_id/],
    ['7 before 8', message, { content: 'x', stream_id: 8 }, /content, stream_id/, { me: 4 }],
    ['8 content by anyone else', message, { content: 'x' }, /sender/, { me: 4 }],
    ['8 content and topic by anyone else', message, { content: 'x', topic: 'stew' }, /sender/, { me: 4 }],
  ])('%s', (_case, target, params, problem, { me = 3, editing = true } = {}) => {
    const found = changeProblem(target, toParams(params), { me: { id: me }, allow_message_editing: editing });
    problem ? expect(found?.text).toMatch(problem) : expect(found).toBeUndefined();
  });
});

const sent_at = 1_900_000_000.9;
const at = (seconds: number) => new Date(Math.round((sent_at + seconds) * 1000));

test.each([
  ['at once', 0, 600, false],
  ['in the last moment', 600, 600, false],
  ['a millisecond later', 600.001, 600, true],
  ['much later', 9e8, 600, true],
  ['much later without a limit', 9e8, null, false],
])('a limit is exceeded %s', (_when, seconds, limit, past) => expect(isPast(limit, sent_at, at(seconds))).toBe(past));

test.each([
  [100, true],
  [200, true],
  [300, false],
  [400, false],
  [600, false],
])('after the time limit, role %i can edit content: %s', (role, may) => {
  expect(canEditContent({ role }, 600, sent_at, at(601))).toBe(may);
  expect(canEditContent({ role }, 600, sent_at, at(600))).toBe(true);
});

test.each([
  ['soup', '✔ soup', 'resolved', true],
  ['✔ soup', 'soup', 'unresolved', true],
  ['✔ ✔✔soup', 'soup', 'unresolved', true],
  ['soup', '✔ stew', 'resolved', false],
  ['✔ soup', 'stew', 'unresolved', false],
  ['✔ soup', '✔ ✔✔soup', undefined, false],
  ['soup', 'stew', undefined, false],
  ['soup', '✔soup', undefined, false],
] as const)('from "%s" to "%s" a topic is %s, and nothing else: %s', (before, after, state, mere) => {
  expect([getResolution(before, after), isOnlyResolution(before, after)]).toEqual([state, mere]);
});
