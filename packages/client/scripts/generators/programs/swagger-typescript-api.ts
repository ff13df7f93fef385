import { Api } from './generated/api.ts';
import { baseUrl, runScenario } from './scenario.ts';

const api = new Api<string>({
  baseUrl,
  securityWorker: (authorization) => (authorization === null ? undefined : { headers: { authorization } }),
});

await runScenario({
  logIn: async (username, password) => (await api.fetchApiKey.fetchApiKey({ username, password })).data.api_key,
  useCredentials: (authorization) => api.setSecurityData(authorization),
  async subscribe(name) {
    await api.users.subscribe({ subscriptions: [{ name }] });
  },
  register: async () => (await api.register.registerQueue({ event_types: ['message', 'update_message_flags'] })).data,
  async send({ stream, topic, content, key }) {
    const message = { type: 'stream', to: stream, topic, content } as const;
    return (await api.messages.sendMessage(message, { headers: { 'Idempotency-Key': key } })).data.id;
  },
  async search(narrow) {
    const { data } = await api.messages.getMessages({ anchor: 'newest', num_before: 10, num_after: 0, narrow });
    return data.messages.map(({ id }) => id);
  },
  upload: async (file) => (await api.userUploads.uploadFile({ file })).data.uri,
  star: async (messages) =>
    (await api.messages.updateMessageFlags({ messages, op: 'add', flag: 'starred' })).data.messages,
  poll: async (queue) => (await api.events.getEvents(queue)).data.events,
});
