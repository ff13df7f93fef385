import { createApiClient } from './generated/api.ts';
import { baseUrl, runScenario } from './scenario.ts';

let authorization: string | undefined;

// The generator leaves the request itself to the program.
const api = createApiClient(
  {
    async fetch({ method, url, urlSearchParams, parameters, overrides }) {
      if (urlSearchParams) url.search = urlSearchParams.toString();
      const body = parameters?.body;
      const headers = new Headers(parameters?.header as Record<string, string> | undefined);
      if (authorization !== undefined) headers.set('Authorization', authorization);
      if (body !== undefined && overrides?.body === undefined) headers.set('Content-Type', 'application/json');
      return fetch(url, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }), ...overrides });
    },
  },
  baseUrl,
);

await runScenario({
  logIn: async (username, password) => (await api.post('/fetch_api_key', { body: { username, password } })).api_key,
  useCredentials(credentials) {
    authorization = credentials;
  },
  async subscribe(name) {
    await api.post('/users/me/subscriptions', { body: { subscriptions: [{ name }] }, header: {} });
  },
  register: () => api.post('/register', { body: { event_types: ['message', 'update_message_flags'] } }),
  async send({ stream, topic, content, key }) {
    const body = { type: 'stream', to: stream, topic, content } as const;
    return (await api.post('/messages', { body, header: { 'Idempotency-Key': key } })).id;
  },
  async search(narrow) {
    const query = { anchor: 'newest', num_before: 10, num_after: 0, narrow } as const;
    return (await api.get('/messages', { query })).messages.map(({ id }) => id);
  },
  async upload(file) {
    // It types a file as a string, so the program brings the body.
    const form = new FormData();
    form.set('file', file);
    return (await api.post('/user_uploads', { body: { file: file.name }, header: {}, overrides: { body: form } })).uri;
  },
  star: async (messages) =>
    (await api.post('/messages/flags', { body: { messages, op: 'add', flag: 'starred' }, header: {} })).messages,
  poll: async (query) => (await api.get('/events', { query, header: {} })).events,
});
