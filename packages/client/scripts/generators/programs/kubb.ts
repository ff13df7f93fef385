import { client } from '@kubb/plugin-client/clients/fetch';
import { fetchApiKey } from './generated/clients/fetchApiKey.ts';
import { getEvents } from './generated/clients/getEvents.ts';
import { getMessages } from './generated/clients/getMessages.ts';
import { registerQueue } from './generated/clients/registerQueue.ts';
import { sendMessage } from './generated/clients/sendMessage.ts';
import { subscribe } from './generated/clients/subscribe.ts';
import { updateMessageFlags } from './generated/clients/updateMessageFlags.ts';
import { uploadFile } from './generated/clients/uploadFile.ts';
import { runScenario } from './scenario.ts';

// Its client sends JSON, and leaves the header to the program.
const json = { 'Content-Type': 'application/json' };
let credentials: { authorization?: string } = {};
client.setConfig({ headers: json });

await runScenario({
  logIn: async (username, password) => (await fetchApiKey({ username, password })).api_key,
  useCredentials(authorization) {
    credentials = { authorization };
    client.setConfig({ headers: { ...json, authorization } });
  },
  async subscribe(name) {
    await subscribe({ subscriptions: [{ name }] });
  },
  register: () => registerQueue({ event_types: ['message', 'update_message_flags'] }),
  async send({ stream, topic, content, key }) {
    return (await sendMessage({ type: 'stream', to: stream, topic, content }, { 'Idempotency-Key': key })).id;
  },
  async search(narrow) {
    const { messages } = await getMessages({ anchor: 'newest', num_before: 10, num_after: 0, narrow });
    return messages.map(({ id }) => id);
  },
  async upload(file) {
    client.setConfig({ headers: { ...credentials } as Record<string, string> });
    const { uri } = await uploadFile({ file });
    client.setConfig({ headers: { ...json, ...credentials } });
    return uri;
  },
  star: async (messages) => (await updateMessageFlags({ messages, op: 'add', flag: 'starred' })).messages,
  poll: async (queue) => (await getEvents(queue)).events,
});
