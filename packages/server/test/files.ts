// Files that users upload and download.
import type { Chat, TestUser } from './chat.ts';

/** A file to upload. */
export const textFile = (text = 'Two carrots, one onion.', name = 'soup.txt'): File => new File([text], name);

/** Uploads a file; returns its URL. */
export async function uploaded({ api }: Pick<TestUser, 'api'>, file: File = textFile()): Promise<string> {
  return (await api.uploadFile({ file })).uri;
}

/** A message that links a file. */
export const linking = (uri: string): string => `Look: [soup](${uri})`;

export const loginOf = ({ email, apiKey }: Pick<TestUser, 'email' | 'apiKey'>): Record<string, string> => ({
  Authorization: `Basic ${Buffer.from(`${email}:${apiKey}`).toString('base64')}`,
});

/** Requests a file at its own URL. */
export async function got(
  chat: Chat,
  who: Pick<TestUser, 'email' | 'apiKey'> | undefined,
  uri: string,
  { realm = chat.realm, headers = {}, method = 'GET' }: Asking = {},
) {
  const answer = await chat.fetch(uri, { method, headers: { ...(who && loginOf(who)), ...headers } }, realm);
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

interface Asking {
  realm?: Chat['realm'];
  headers?: Record<string, string>;
  method?: string;
}

/** Whether a user can download the file; its own URL and a temporary one agree. */
export async function canRead(chat: Chat, who: TestUser, uri: string, realm = chat.realm): Promise<boolean> {
  const { status } = await got(chat, who, uri, { realm });
  const url = await who.api.getFileUrl(partsOf(uri)).then(
    (answer) => answer.url,
    (error: { status?: number }) => error.status,
  );
  if (status === 404 && url === 404) return false;
  if (status === 200 && typeof url === 'string' && (await got(chat, undefined, url, { realm })).status === 200)
    return true;
  throw new Error(`${uri}: the URL of the file returned ${status}, the API returned the URL ${url}`);
}

/** The parts of a URL. */
export function partsOf(uri: string) {
  const [realm_id, upload_key = '', file_name = ''] = uri.slice('/user_uploads/'.length).split('/');
  return { realm_id: Number(realm_id), upload_key, file_name: decodeURIComponent(file_name) };
}
