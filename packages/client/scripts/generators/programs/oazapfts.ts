import * as api from './generated/api.ts';
import { baseUrl, runScenario } from './scenario.ts';

api.defaults.baseUrl = baseUrl;

/** Responses are unions by status. */
function requireData<R extends { status: number; data: unknown }>(response: R): Extract<R, { status: 200 }>['data'] {
  if (response.status !== 200) throw new Error(JSON.stringify(response.data));
  return response.data as Extract<R, { status: 200 }>['data'];
}

await runScenario({
  logIn: async (username, password) => requireData(await api.fetchApiKey({ username, password })).api_key,
  useCredentials(authorization) {
    api.defaults.headers = { ...api.defaults.headers, authorization };
  },
  async subscribe(name) {
    requireData(await api.subscribe({ subscriptions: [{ name }] }));
  },
  register: async () => requireData(await api.registerQueue({ event_types: ['message', 'update_message_flags'] })),
  async send({ stream, topic, content, key }) {
    const message = { type: 'stream', to: stream, topic, content } as const;
    return requireData(await api.sendMessage(message, { idempotencyKey: key })).id;
  },
  async search(narrow) {
    const { messages } = requireData(await api.getMessages(10, 0, { anchor: 'newest', narrow }));
    return messages.map(({ id }) => id);
  },
  upload: async (file) => requireData(await api.uploadFile({ file })).uri,
  star: async (messages) =>
    requireData(await api.updateMessageFlags({ messages, op: 'add', flag: 'starred' })).messages,
  poll: async ({ queue_id, last_event_id }) => requireData(await api.getEvents(queue_id, last_event_id)).events,
});
