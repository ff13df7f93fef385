// A browser as far as logging in needs one: it keeps cookies, each for the host that set it, and follows no redirect by
// itself.
import type { Realm } from '../src/core/context.ts';
import type { Chat } from './chat.ts';

export interface Seen {
  readonly status: number;
  readonly location: string;
  readonly headers: Headers;
  readonly text: string;
}

/** One at an organization; at other servers it uses `fetch`. */
export function openBrowser(chat: Chat, realm: Realm = chat.realm) {
  const cookies = new Map<string, string>();
  const elsewhere = new Map<string, Map<string, string>>();

  async function go(path: string, init: RequestInit = {}, at: Realm = realm, cross_site = false): Promise<Seen> {
    const jar = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...Object.fromEntries(new Headers(init.headers)), ...(cross_site ? {} : { Cookie: jar }) };
    const answer = await chat.fetch(path, { ...init, headers }, at);
    const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
    if (cookie !== '') cookies.set(cookie.slice(0, cookie.indexOf('=')), cookie.slice(cookie.indexOf('=') + 1));
    return seen(answer);
  }

  const form = (fields: Record<string, string>): RequestInit => ({
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  });

  return {
    cookies,
    get: (path: string, at?: Realm) => go(path, {}, at),
    post: (path: string, fields: Record<string, string>, at?: Realm) => go(path, form(fields), at),
    /** A form that a page of another site posts: without cookies with `SameSite=Lax`. */
    postFromElsewhere: (path: string, fields: Record<string, string>, at?: Realm) => go(path, form(fields), at, true),
    /** Goes to another server and follows its redirects; returns the URL that leads back. */
    async wander(address: string): Promise<URL> {
      const { origin } = new URL(address);
      const jar = elsewhere.get(origin) ?? new Map<string, string>();
      elsewhere.set(origin, jar);
      let next = new URL(address);
      while (next.origin === origin) {
        const Cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
        const answer = await fetch(next, { redirect: 'manual', headers: { Cookie } });
        for (const cookie of answer.headers.getSetCookie()) {
          const [pair = ''] = cookie.split(';');
          jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
        }
        const location = answer.headers.get('location');
        if (location === null)
          throw new Error(`The response of ${next} is an error: ${answer.status} ${await answer.text()}`);
        next = new URL(location, next);
      }
      return next;
    },
  };
}

export type Browser = ReturnType<typeof openBrowser>;

async function seen(answer: Response): Promise<Seen> {
  const { status, headers } = answer;
  return { status, headers, location: headers.get('location') ?? '', text: await answer.text() };
}

/** The grant in the form of the page that asks whether to show the key. */
export const grantIn = ({ text }: Seen): string => /name="grant" value="([^"]+)"/.exec(text)?.[1] ?? 'no grant';

/** The key that a page shows. */
export const keyIn = ({ text }: Seen): string => /API key: <code>(\w+)<\/code>/.exec(text)?.[1] ?? `no key: ${text}`;
