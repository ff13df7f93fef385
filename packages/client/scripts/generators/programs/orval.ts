import * as api from './generated/api.ts';
import { runScenario } from './scenario.ts';

let headers: Record<string, string> = {};

/** Responses are unions by status. */
function requireData<R extends { status: number; data: unknown }>(response: R): Extract<R, { status: 200 }>['data'] {
  if (response.status !== 200) throw new Error(JSON.stringify(response.data));
  return response.data as Extract<R, { status: 200 }>['data'];
}

await runScenario({
  logIn: async (username, password) => requireData(await api.fetchApiKey({ username, password })).api_key,
  useCredentials(authorization) {
    headers = { authorization };
  },
  async subscribe(name) {
    requireData(await api.subscribe({ subscriptions: [{ name }] }, { headers }));
  },
  register: async () =>
    requireData(await api.registerQueue({ event_types: ['message', 'update_message_flags'] }, { headers })),
  async send({ stream, topic, content, key }) {
    const options = { headers: { ...headers, 'Idempotency-Key': key } };
    return requireData(await api.sendMessage({ type: 'stream', to: stream, topic, content }, options)).id;
  },
  async search(narrow) {
    const page = { anchor: 'newest', num_before: 10, num_after: 0, narrow } as const;
    return requireData(await api.getMessages(page, { headers })).messages.map(({ id }) => id);
  },
  upload: async (file) => requireData(await api.uploadFile({ file }, { headers })).uri,
  star: async (messages) =>
    requireData(await api.updateMessageFlags({ messages, op: 'add', flag: 'starred' }, { headers })).messages,
  async poll(queue) {
    const data = requireData(await api.getEvents(queue, { headers }));
    // The type has the stream of events as well, which is text.
    if (typeof data === 'string') throw new Error(data);
    return data.events;
  },
});
