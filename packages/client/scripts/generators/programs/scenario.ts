// What a generated client must be able to do, whichever generator made it. A program of each generator gives these functions.
declare const process: { env: Record<string, string | undefined> };

export interface GeneratedClient {
  /** The API key of an account. */
  logIn(username: string, password: string): Promise<string>;
  /** Sends these credentials from now on. */
  useCredentials(authorization: string): void;
  subscribe(stream: string): Promise<void>;
  register(): Promise<{ queue_id: string; last_event_id: number }>;
  /** Sends a message, once for each key, and returns its id. */
  send(message: { stream: string; topic: string; content: string; key: string }): Promise<number>;
  /** Ids of the newest messages in a narrow. */
  search(narrow: string): Promise<number[]>;
  /** Uploads a file and returns its address. */
  upload(file: File): Promise<string>;
  /** Sets the flag `starred`, and returns the ids of the messages that changed. */
  star(ids: number[]): Promise<number[]>;
  poll(queue: { queue_id: string; last_event_id: number }): Promise<{ type: string }[]>;
}

/** Carries out each step and prints it; the first step that fails ends the program. */
export async function runScenario(client: GeneratedClient): Promise<void> {
  const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const result = await work();
    console.log(`step ${name}`);
    return result;
  };
  const { PARLEY_EMAIL: email = '', PARLEY_PASSWORD: password = '' } = process.env;
  const stream = `clients-${crypto.randomUUID().slice(0, 8)}`;
  const apiKey = await step('log in', () => client.logIn(email, password));
  client.useCredentials(`Basic ${btoa(`${email}:${apiKey}`)}`);
  await step('subscribe', () => client.subscribe(stream));
  const { queue_id, last_event_id } = await client.register();
  const id = await step('send', async () => {
    const message = { stream, topic: 'soup', content: 'Ä “soup” & more', key: crypto.randomUUID() };
    const sent = await client.send(message);
    requireEqual(await client.send(message), sent, 'the message that the same Idempotency-Key sends');
    return sent;
  });
  await step('search', async () => {
    const of = (topic: string) => JSON.stringify([{ operator: 'stream', operand: stream }, ['topic', topic]]);
    requireEqual(await client.search(of('soup')), [id], 'the messages of the topic');
    requireEqual(await client.search(of('bread')), [], 'the messages of an empty topic');
  });
  await step('upload', async () => {
    const uri = await client.upload(new File(['soup'], 'soup.txt', { type: 'text/plain' }));
    requireEqual(uri.endsWith('/soup.txt'), true, `the address ${uri}`);
  });
  await step('flags', async () => requireEqual(await client.star([id]), [id], 'the starred messages'));
  await step('follow', async () => {
    const types = (await client.poll({ queue_id, last_event_id })).map(({ type }) => type);
    requireEqual(types.includes('message') && types.includes('update_message_flags'), true, `the events ${types}`);
  });
}

function requireEqual(found: unknown, expected: unknown, what: string): void {
  const [is, mustBe] = [JSON.stringify(found), JSON.stringify(expected)];
  if (is !== mustBe) throw new Error(`Not as expected: ${what}. It is ${is}, and must be ${mustBe}.`);
}

export const baseUrl = `${process.env.PARLEY_URL ?? ''}/api/v1`;
