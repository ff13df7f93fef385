// What every runtime must be able to do with the client, against the demo at the address that is given.
import { createClient, ParleyError, TransportError } from '../dist/index.js';

const [url] = globalThis.process?.argv.slice(2) ?? [];
const { people } = await (await fetch(`${url}/docs/demo.json`)).json();
const clientOf = (name) => {
  const { email, api_key } = people.find((person) => person.name === name);
  return createClient(url, { login: { email, apiKey: api_key } });
};
const [hamlet, cordelia] = [clientOf('Hamlet'), clientOf('Cordelia')];
const mustBe = (is, what) => {
  if (!is) throw new Error(`It is not so: ${what}`);
};

const events = cordelia.events({ types: ['message'] });
await events.open();
const { id } = await hamlet.sendMessage(
  { type: 'stream', to: 'general', topic: 'runtimes', content: 'Ä “soup” & more 🎉' },
  { idempotencyKey: crypto.randomUUID() },
);
const { value: event } = await events.next();
mustBe(event.type === 'message' && event.message.id === id, 'the message is heard');
await events.return();

const { upload_key } = await hamlet.uploadFile({ file: new File(['soup'], 'soup.txt') });
mustBe(/^[0-9a-f-]{36}$/.test(upload_key), 'a file is kept');

const refused = await hamlet.getMessage({ message_id: 987_654_321 }).catch((error) => error);
mustBe(ParleyError.is(refused, 'BAD_REQUEST'), 'a refusal is one');
const nobody = createClient('http://127.0.0.1:1', { retries: 0 });
mustBe((await nobody.getServerSettings().catch((error) => error)) instanceof TransportError, 'no answer is one');
const late = await cordelia.getEvents({ queue_id: 'x' }, { signal: AbortSignal.abort() }).catch((error) => error.name);
mustBe(late === 'AbortError', 'a call that was given up says so');
console.log('The client does what it must.');
