import createClient from 'openapi-fetch';
import type { paths } from './generated/schema.d.ts';
import { baseUrl, runScenario } from './scenario.ts';

const client = createClient<paths>({ baseUrl });
const headers = {} as { authorization?: string };
client.use({
  onRequest({ request }) {
    if (headers.authorization) request.headers.set('Authorization', headers.authorization);
  },
});

/** What a request returned; an error response is thrown. */
async function dataOf<T>(response: Promise<{ data?: T; error?: unknown }>): Promise<T> {
  const { data, error } = await response;
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

await runScenario({
  async logIn(username, password) {
    return (await dataOf(client.POST('/fetch_api_key', { body: { username, password } }))).api_key;
  },
  useCredentials(authorization) {
    headers.authorization = authorization;
  },
  async subscribe(name) {
    await dataOf(client.POST('/users/me/subscriptions', { body: { subscriptions: [{ name }] } }));
  },
  register: () => dataOf(client.POST('/register', { body: { event_types: ['message', 'update_message_flags'] } })),
  async send({ stream, topic, content, key }) {
    const params = { header: { 'Idempotency-Key': key } };
    const body = { type: 'stream', to: stream, topic, content } as const;
    return (await dataOf(client.POST('/messages', { params, body }))).id;
  },
  async search(narrow) {
    const query = { anchor: 'newest', num_before: 10, num_after: 0, narrow } as const;
    return (await dataOf(client.GET('/messages', { params: { query } }))).messages.map(({ id }) => id);
  },
  async upload(file) {
    const body = new FormData();
    body.set('file', file);
    return (await dataOf(client.POST('/user_uploads', { body: body as never }))).uri;
  },
  async star(messages) {
    return (await dataOf(client.POST('/messages/flags', { body: { messages, op: 'add', flag: 'starred' } }))).messages;
  },
  async poll(query) {
    const data = await dataOf(client.GET('/events', { params: { query } }));
    // The other type of response is a stream.
    if (typeof data === 'string') throw new Error(data);
    return data.events;
  },
});
