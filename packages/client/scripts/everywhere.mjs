// What every runtime must be able to do with the client, against the demo at the address that is given.
import { createClient, ParleyError, TransportError } from '../dist/index.js';
import { createStreamingFetch } from '../dist/stream.js';

const [url] = globalThis.process?.argv.slice(2) ?? [];
const { users } = await (await fetch(`${url}/docs/demo.json`)).json();
const clientOf = (name, options) => {
  const { email, api_key } = users.find((person) => person.name === name);
  return createClient(url, { login: { email, apiKey: api_key }, ...options });
};
const [hamlet, cordelia] = [clientOf('Hamlet'), clientOf('Cordelia')];
const mustBe = (is, what) => {
  if (!is) throw new Error(`It is not so: ${what}`);
};

const events = cordelia.events({ types: ['message'] });
await events.open();
let opened = 0;
const send = async (request) => {
  const response = await fetch(request);
  if (response.headers.get('Content-Type') === 'text/event-stream') opened++;
  return response;
};
const streamed = clientOf('Cordelia', { fetch: createStreamingFetch(send) }).events({ types: ['message'] });
await streamed.open();
const { id } = await hamlet.sendMessage(
  { type: 'stream', to: 'general', topic: 'runtimes', content: 'Ä “soup” & more 🎉' },
  { idempotencyKey: crypto.randomUUID() },
);
const { value: event } = await events.next();
mustBe(event.type === 'message' && event.message.id === id, 'the message is heard');
await events.return();
const { value: same } = await streamed.next();
mustBe(opened === 1 && same.message.id === id, 'the message is heard over a stream');
await streamed.return();

const { upload_key } = await hamlet.uploadFile({ file: new File(['soup'], 'soup.txt') });
mustBe(/^[0-9a-f-]{36}$/.test(upload_key), 'a file is kept');

const refused = await hamlet.getMessage({ message_id: 987_654_321 }).catch((error) => error);
mustBe(ParleyError.is(refused, 'BAD_REQUEST'), 'a refusal is one');
const nobody = createClient('http://127.0.0.1:1', { retries: 0 });
mustBe((await nobody.getServerSettings().catch((error) => error)) instanceof TransportError, 'no answer is one');
const late = await cordelia.getEvents({ queue_id: 'x' }, { signal: AbortSignal.abort() }).catch((error) => error.name);
mustBe(late === 'AbortError', 'a call that was given up says so');
console.log('The client does what it must.');
