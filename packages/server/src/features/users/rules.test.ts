import { expect, test } from 'vitest';
import { canSeeEmail, parseHiddenAddress, VISIBILITY } from './rules.ts';

const roles = { owner: 100, administrator: 200, moderator: 300, member: 400, guest: 600 };
const seers: Record<keyof typeof VISIBILITY, string[]> = {
  everyone: ['owner', 'administrator', 'moderator', 'member', 'guest'],
  members: ['owner', 'administrator', 'moderator', 'member'],
  moderators: ['owner', 'administrator', 'moderator'],
  administrators: ['owner', 'administrator'],
  nobody: [],
};

test.each(Object.entries(seers) as [keyof typeof VISIBILITY, string[]][])(
  'an address visible to %s is seen by exactly those',
  (shown, names) => {
    const person = { id: 1, email_address_visibility: VISIBILITY[shown] };
    const see = Object.entries(roles).filter(([, role]) => canSeeEmail({ id: 2, role }, person));
    expect(see.map(([name]) => name)).toEqual(names);
  },
);

test.each(Object.values(VISIBILITY))(
  'users see their own address, whoever else can see it (%i)',
  (email_address_visibility) => {
    expect(canSeeEmail({ id: 1, role: 600 }, { id: 1, email_address_visibility })).toBe(true);
  },
);

test.each([
  ['user7@acme.example.com', 7],
  ['USER7@ACME.example.com', 7],
  ['user07@acme.example.com', undefined],
  ['user7@other.example.com', undefined],
  ['user@acme.example.com', undefined],
  ['user7x@acme.example.com', undefined],
  ['user7', undefined],
  ['user7@acme.example.com@acme.example.com', undefined],
])('parseHiddenAddress: %s', (email, id) => expect(parseHiddenAddress(email, 'Acme.example.com')).toBe(id));
