import type { Chat, TestUser } from '../chat.ts';

export const FORM = 'application/x-www-form-urlencoded';

export const basic = (email: string, key: string): string =>
  `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`;

interface Raw {
  method?: string;
  body?: string | FormData;
  type?: string;
  /** Other credentials than those of the user; null for none. */
  auth?: string | null;
}

/** Requests with bytes of the test's choice, by a user who is created with the first of them. */
export function rawCalls(from: () => { readonly chat: Chat; readonly person: TestUser }) {
  async function call(path: string, { method = 'GET', body, type, auth }: Raw = {}) {
    const { chat, person } = from();
    const credentials = auth === undefined ? basic(person.email, person.apiKey) : auth;
    const response = await chat.fetch(`/api/v1${path}`, {
      method,
      ...(body !== undefined && { body }),
      headers: { ...(credentials !== null && { Authorization: credentials }), ...(type && { 'Content-Type': type }) },
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: text ? JSON.parse(text) : undefined };
  }
  return { call, post: (path: string, body: string, type = FORM) => call(path, { method: 'POST', body, type }) };
}
