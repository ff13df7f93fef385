import { expect, test } from 'vitest';
import { passwordProblem } from './passwords.ts';
import { isEmail } from './rules.ts';

test.each([
  ['ada@example.com', true],
  ['ada+x@localhost', true],
  ['ada', false],
  ['@example.com', false],
  ['ada@', false],
  ['ada@b@c', false],
  ['a da@example.com', false],
  ['', false],
])('isEmail: %s', (username, answer) => expect(isEmail(username)).toBe(answer));

test.each([
  ['shorter than six characters', 'z9$Qv', /6 characters/],
  ['six characters that are a sequence', 'abcdef', /easy to guess/],
  ['one of the most common', 'password', /easy to guess/],
  ['the same letter over and over', 'aaaaaaaa', /easy to guess/],
  ['the email address of the person', 'ada.lovelace@example.com', /easy to guess/],
  ['the name of the person', 'lovelace', /easy to guess/],
])('a password is rejected: %s', (_case, password, problem) => {
  expect(passwordProblem(password, ['ada.lovelace@example.com', 'Ada Lovelace'])).toMatch(problem);
});

test.each(['correct horse battery staple', 'zQ4mm8', '🍲🥕🧅🥔🌶🧄', 'newuserpass'])(
  'a password is accepted: %s',
  (password) => {
    expect(passwordProblem(password, ['ada.lovelace@example.com', 'Ada Lovelace'])).toBeUndefined();
  },
);
