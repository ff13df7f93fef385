import type { ApiLogin } from '../../model/send.ts';
import { button, element } from './elements.ts';

export interface DemoUser {
  name: string;
  role: string;
  email: string;
  api_key: string;
}

/** The user who calls: one of the demo organization, or one whose credentials the reader enters. They stay in memory. */
export interface ConsoleIdentity {
  readonly row: HTMLElement;
  login(): ApiLogin | undefined;
  become(login: ApiLogin): void;
  name(): string;
}

/** `first` is the name of the user who calls until the reader chooses another; the owner if it is not the name of a user. */
export function identity(users: readonly DemoUser[], first: string | undefined, changed: () => void): ConsoleIdentity {
  const email = element('input', {
    id: 'console-email',
    type: 'text',
    autocomplete: 'off',
    spellcheck: 'false',
    inputmode: 'email',
  });
  const key = element('input', { id: 'console-key', type: 'password', autocomplete: 'off' });
  const show = () => {
    for (const one of choices) one.setAttribute('aria-pressed', String(one.dataset.email === email.value));
    changed();
  };
  const choices = users.map((user) => {
    const { name, role, email: address, api_key } = user;
    const choose = () => {
      email.value = address;
      key.value = api_key;
      show();
    };
    const made = button(name, 'user', choose);
    made.append(element('small', {}, role));
    made.dataset.email = address;
    return made;
  });
  for (const input of [email, key]) input.addEventListener('input', show);
  const own = element(
    'div',
    { class: 'own' },
    element('label', { for: 'console-email' }, 'Email', email),
    element('label', { for: 'console-key' }, 'API key', key),
  );
  const title = element('p', { class: 'what', id: 'console-who' }, 'As');
  const row = element('div', { class: 'identity', role: 'group', 'aria-labelledby': 'console-who' }, title);
  if (choices.length > 0) {
    row.append(element('div', { class: 'users' }, ...choices));
    row.append(element('details', {}, element('summary', {}, 'Other credentials'), own));
  } else
    row.append(
      own,
      element('p', { class: 'note' }, 'The page keeps them in memory only, and sends them only to this server.'),
    );
  const initial = findUserCalled(users, first) ?? users.find(({ role }) => role === 'owner') ?? users[0];
  if (initial) [email.value, key.value] = [initial.email, initial.api_key];
  show();
  return {
    row,
    login: () => (email.value && key.value ? { email: email.value.trim(), apiKey: key.value.trim() } : undefined),
    become({ email: address, apiKey }) {
      [email.value, key.value] = [address, apiKey];
      show();
    },
    name: () => users.find((one) => one.email === email.value)?.name ?? email.value,
  };
}

/** The user with this name, in lower case as in recipes. */
export const findUserCalled = (users: readonly DemoUser[], name: string | undefined): DemoUser | undefined =>
  users.find((one) => one.name.toLowerCase() === name);
