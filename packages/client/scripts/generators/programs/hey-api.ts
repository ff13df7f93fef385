import { client } from './generated/client.gen.ts';
import {
  fetchApiKey,
  getEvents,
  getMessages,
  registerQueue,
  sendMessage,
  subscribe,
  updateMessageFlags,
  uploadFile,
} from './generated/index.ts';
import { baseUrl, runScenario } from './scenario.ts';

client.setConfig({ baseUrl });
const throwOnError = true;

await runScenario({
  async logIn(username, password) {
    const { data } = await fetchApiKey({ body: { username, password }, throwOnError });
    return data.api_key;
  },
  useCredentials: (authorization) => client.setConfig({ headers: { authorization } }),
  async subscribe(name) {
    await subscribe({ body: { subscriptions: [{ name }] }, throwOnError });
  },
  async register() {
    const { data } = await registerQueue({ body: { event_types: ['message', 'update_message_flags'] }, throwOnError });
    return data;
  },
  async send({ stream, topic, content, key }) {
    const body = { type: 'stream', to: stream, topic, content } as const;
    const { data } = await sendMessage({ body, headers: { 'Idempotency-Key': key }, throwOnError });
    return data.id;
  },
  async search(narrow) {
    const query = { anchor: 'newest', num_before: 10, num_after: 0, narrow } as const;
    const { data } = await getMessages({ query, throwOnError });
    return data.messages.map(({ id }) => id);
  },
  async upload(file) {
    const { data } = await uploadFile({ body: { file }, throwOnError });
    return data.uri;
  },
  async star(messages) {
    const { data } = await updateMessageFlags({ body: { messages, op: 'add', flag: 'starred' }, throwOnError });
    return data.messages;
  },
  async poll(query) {
    const { data } = await getEvents({ query, throwOnError });
    return data.events;
  },
});
