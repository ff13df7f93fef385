import { expect, test } from 'vitest';
import { ROLE } from '../../access/roles.ts';
import { chooseColors, PALETTE } from './colors.ts';
import { renderAnnouncement, renderCreationNotice, renderInvitation } from './notices.ts';
import {
  canUnsubscribe,
  distinctStreams,
  emittedProperties,
  isOnlyCaller,
  toStoredSettings,
  valueProblem,
} from './rules.ts';

const { administrator, member } = ROLE;
const ada = { id: 7, full_name: 'Ada', role: member, date_joined: new Date('2026-01-01T00:00:00Z') };

test('a stream is named once: names are trimmed, compared ignoring case, and the first item counts', () => {
  const requested = distinctStreams([
    { name: ' Soup ', description: 'hot\r\nand\nsalty' },
    { name: 'SOUP', color: '#fff' },
    { name: 'tea' },
  ]);
  expect(requested).toEqual([
    { name: 'Soup', description: 'hot and salty', color: undefined },
    { name: 'tea', description: '', color: undefined },
  ]);
});

// shows: 4.1.5
test.each([
  ['no principals', undefined, true],
  ['an empty list', [], true],
  ['the own id', [7, 7], true],
  ['another user too', [7, 8], false],
  ['the own email', ['ada@example.com'], false],
] as const)('principals that are only the caller: %s', (_case, principals, only) =>
  expect(isOnlyCaller(ada, principals)).toBe(only),
);

const bot = { id: 9, bot_owner_id: 7 };
const ben = { id: 8, bot_owner_id: null };
// shows: 4.2.5 [anyone, as an administrator], 4.2.6 [a bot of the caller]
// shows: 4.2.6 [a bot of the caller, from an invisible stream], 4.2.7 [another user, by a member of the remover group]
// shows: 4.2.7 [another user, by a member of the remover group, from an invisible stream], 4.2.8 [another user], 5.8
test.each([
  ['the caller', ada, { ...ben, id: 7 }, false, false, true],
  ['anyone, as an administrator', { ...ada, role: administrator }, ben, false, false, true],
  ['a bot of the caller', ada, bot, true, false, true],
  ['a bot of the caller, from an invisible stream', ada, bot, false, false, false],
  ['another user', ada, ben, true, false, false],
  ['another user, by a member of the remover group', ada, ben, true, true, true],
  ['another user, by a member of the remover group, from an invisible stream', ada, ben, false, true, false],
] as const)('removing from a stream: %s', (_case, me, person, sees, in_remover_group, may) => {
  expect(canUnsubscribe({ me, user: person, sees, in_remover_group })).toBe(may);
});

test('colors are the first unused ones of the palette, and then all of them again', () => {
  expect([PALETTE.length, new Set(PALETTE).size]).toEqual([24, 24]);
  expect(chooseColors(['#76CE90', '#123456'], 2)).toEqual(['#fae589', '#a6c7e5']);
  expect(chooseColors(PALETTE, 25)).toEqual([...PALETTE, PALETTE[0]]);
});

test('a description cannot break out of the quote in the first message', () => {
  const stream = { name: 'soup', description: '```` hot', invite_only: true, is_web_public: false };
  expect(renderCreationNotice(ada, stream)).toBe(
    '**Private** stream created by @_**Ada|7**. **Description:**\n``` quote\n\\```` hot\n```',
  );
});

test('notices list streams by name, and count those for which there is no room', () => {
  expect(renderAnnouncement(ada, [{ name: 'soup' }])).toBe('@_**Ada|7** created a new stream #**soup**.');
  expect(renderInvitation(ada, [{ name: 'soup' }, { name: 'tea' }])).toBe(
    '@_**Ada|7** subscribed you to these streams:\n\n* #**soup**\n* #**tea**',
  );
  expect(renderAnnouncement(ada, [{ name: 'soup** @**all' }])).toBe(
    '@_**Ada|7** created a new stream `soup** @**all`.',
  );
  const many = Array.from({ length: 1000 }, (_, n) => ({ name: `stream ${n}`.padEnd(60, '.') }));
  const note = renderAnnouncement(ada, many);
  expect(note.length).toBeLessThan(10_000);
  expect(note).toMatch(/\* and \d+ more$/);
});

// shows: 4.9.4, 4.9.5
test.each([
  ['is_muted', true, true],
  ['is_muted', 'true', false],
  ['color', '#fff', true],
  ['color', '#76CE90', true],
  ['color', '#12', false],
  ['color', '#1234567', false],
  ['color', '#fff\n', false],
  ['color', false, false],
] as const)('whether %s can be %j', (property, value, fits) => {
  expect(valueProblem({ property, value }) === undefined).toBe(fits);
});

// shows: 2.20
test('in_home_view is the opposite of is_muted: the last of both counts, and both are emitted', () => {
  expect(
    toStoredSettings([
      { property: 'is_muted', value: false },
      { property: 'color', value: '#fff' },
      { property: 'in_home_view', value: false },
    ]),
  ).toEqual({ is_muted: true, color: '#fff' });
  expect(emittedProperties({ property: 'color', value: '#fff' })).toEqual([{ property: 'color', value: '#fff' }]);
  for (const muting of [
    { property: 'is_muted', value: true },
    { property: 'in_home_view', value: false },
  ] as const) {
    expect(emittedProperties(muting)).toEqual([
      { property: 'in_home_view', value: false },
      { property: 'is_muted', value: true },
    ]);
  }
});
