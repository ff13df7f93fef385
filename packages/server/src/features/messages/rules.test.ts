import { expect, test } from 'vitest';
import { groupRecipientsByFlags } from './rules/flags.ts';
import {
  chooseAutomaticPolicy,
  contentProblem,
  getSendLane,
  isOnlyWithBots,
  isReadFromStart,
  normalizeContent,
  parseDirectTargets,
  parseStreamTarget,
  topicProblem,
} from './rules/send.ts';

test.each([
  ['trailing whitespace goes', 'soup \n\t', 'soup'],
  ['leading newlines go', '\n\r\nsoup', 'soup'],
  ['leading spaces stay: they mean code', '    soup', '    soup'],
  ['only whitespace is nothing', ' \n ', ''],
])('content: %s', (_rule, content, stored) => expect(normalizeContent(content)).toBe(stored));

// shows: 2.22 [10000 characters], 2.22 [10001 characters], 8.5 [10000 characters], 8.5 [10001 characters]
test.each([
  ['blank', '', /blank/],
  ['10000 characters', 'x'.repeat(10_000), undefined],
  ['10000 characters outside the basic plane', '🍲'.repeat(10_000), undefined],
  ['10001 characters', 'x'.repeat(10_001), /10000/],
])('content of %s', (_case, content, problem) => {
  const found = contentProblem(content);
  problem ? expect(found).toMatch(problem) : expect(found).toBeUndefined();
});

// shows: 2.23 [60 characters], 2.23 [61 characters], 8.4 [60 characters], 8.4 [61 characters]
test.each([
  ['blank', '', false, /blank/],
  ['60 characters', 'x'.repeat(60), false, undefined],
  ['60 characters and the resolved prefix', `✔ ${'x'.repeat(60)}`, false, undefined],
  ['61 characters', 'x'.repeat(61), false, /60/],
  ['60 characters outside the basic plane', '🍲'.repeat(60), false, undefined],
  ['a control character', 'so\u0007up', false, /position 3/],
  ['a non-character', 'soup\ufffe', false, /position 5/],
  ['none where topics are voluntary', '(no topic)', false, undefined],
  ['none where topics are mandatory', '(no topic)', true, /needs a topic/],
  ['none in another case where topics are mandatory', '(No Topic)', true, /needs a topic/],
])('a topic of %s', (_case, topic, mandatory, problem) => {
  const found = topicProblem(topic, { mandatory });
  problem ? expect(found).toMatch(problem) : expect(found).toBeUndefined();
});

// shows: 2.26 [website] [true], 2.26 [Unspecified] [false]
test.each([
  ['website', true],
  ['Website', true],
  ['ParleyMobile', true],
  ['parleyterminal', true],
  ['Some Desktop App 2', true],
  ['ParleyPython', false],
  ['Unspecified', false],
])('a message sent with %s starts read: %s', (client, read) => expect(isReadFromStart(client)).toBe(read));

test('a stream is given by a name, an id, or a list with one of them', () => {
  expect([
    parseStreamTarget(' kitchen '),
    parseStreamTarget(7),
    parseStreamTarget(['kitchen']),
    parseStreamTarget([7]),
  ]).toEqual(['kitchen', 7, 'kitchen', 7]);
  expect([parseStreamTarget([]), parseStreamTarget([7, 8])]).toEqual([undefined, undefined]);
});

test('messages take turns by the id or the name of their stream, and direct messages do not', () => {
  const lanes = (['Kitchen', ' KITCHEN ', ['kitchen']] as const).map((to) =>
    getSendLane({ type: 'stream', to: [to].flat() }),
  );
  expect(new Set(lanes).size).toBe(1);
  expect(getSendLane({ type: 'stream', to: 7 })).not.toBe(getSendLane({ type: 'stream', to: '7' }));
  expect(getSendLane({ type: 'stream', to: ['kitchen', 'garden'] })).toBeUndefined();
  expect(getSendLane({ type: 'stream', to: [] })).toBeUndefined();
  expect(getSendLane({ type: 'direct', to: [7] })).toBeUndefined();
});

test('recipients are given by ids, addresses, or comma-separated addresses', () => {
  expect(parseDirectTargets('a@x.com, b@x.com,')).toEqual(['a@x.com', 'b@x.com']);
  expect([
    parseDirectTargets(7),
    parseDirectTargets([7, 8]),
    parseDirectTargets([' a@x.com']),
    parseDirectTargets(' '),
  ]).toEqual([[7], [7, 8], ['a@x.com'], []]);
});

const human = { id: 1, bot_type: null };
const other = { id: 2, bot_type: null };
const bot = { id: 3, bot_type: 1 };
test.each([
  ['a person to a bot', human, [human, bot], true],
  ['a bot to a person', bot, [human, bot], true],
  ['a person to a person', human, [human, other], false],
  ['a person to a person and a bot', human, [human, other, bot], false],
  ['a person to themselves', human, [human], false],
])('where direct messages are disabled, %s: %s', (_case, sender, members, may) =>
  expect(isOnlyWithBots(sender, members)).toBe(may),
);

const facts = { by: 'sending', follow: 4, unmute: 4, started: false, stream_muted: false, current: 0 } as const;
// shows: 4.13.48, 4.13.49
test.each([
  ['nothing by default in a topic of others', {}, undefined],
  ['follow on participation', { follow: 1 }, 3],
  ['follow on sending', { follow: 2 }, 3],
  ['follow what one started', { follow: 3, started: true }, 3],
  ['not follow what others started', { follow: 3 }, undefined],
  ['not start a topic that has a policy already', { follow: 3, started: true, current: 1 }, undefined],
  ['not follow again', { follow: 2, current: 3 }, undefined],
  ['follow what was muted: the sender has just gone there', { follow: 2, current: 1 }, 3],
  ['follow what was unmuted', { follow: 2, current: 2 }, 3],
  ['unmute in a muted stream', { unmute: 2, stream_muted: true }, 2],
  ['unmute nothing in other streams', { unmute: 2 }, undefined],
  ['unmute what was muted', { unmute: 2, stream_muted: true, current: 1 }, 2],
  ['not lower following to unmuting', { unmute: 2, stream_muted: true, current: 3 }, undefined],
  ['prefer following to unmuting', { follow: 2, unmute: 2, stream_muted: true }, 3],
] as const)('after a send: %s', (_case, sender, policy) =>
  expect(chooseAutomaticPolicy({ ...facts, ...sender })).toBe(policy),
);

test.each([
  ['follows for a participant', { follow: 1 }, 3],
  ['is not sending', { follow: 2 }, undefined],
  ['starts no topic', { follow: 3, started: true }, undefined],
  ['leaves a followed topic alone', { follow: 1, current: 3 }, undefined],
  ['unmutes in a muted stream for a participant', { unmute: 1, stream_muted: true }, 2],
  ['unmutes nothing for a sender', { unmute: 2, stream_muted: true }, undefined],
] as const)('reacting %s', (_case, params, policy) =>
  expect(chooseAutomaticPolicy({ ...facts, follow: 4, unmute: 4, ...params, by: 'reacting' })).toBe(policy),
);

test('recipients are grouped by their flags, each in one set', () => {
  const sets = groupRecipientsByFlags({
    read: new Set([1]),
    mentioned: new Set([1, 2, 3]),
    alerted: new Set([2, 4]),
    topic_wildcard: new Set([3]),
    stream_wildcard: true,
  });
  const wild = ['wildcard_mentioned', 'stream_wildcard_mentioned'];
  expect(sets).toEqual({
    common: wild,
    special: [
      { flags: ['read', 'mentioned', ...wild], user_ids: [1] },
      { flags: ['mentioned', ...wild, 'has_alert_word'], user_ids: [2] },
      { flags: ['mentioned', ...wild, 'topic_wildcard_mentioned'], user_ids: [3] },
      { flags: [...wild, 'has_alert_word'], user_ids: [4] },
    ],
  });
});
