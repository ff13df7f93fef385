// Follows messages with a stored position, and notes each event when it has handled it: what `resume.test.ts` kills.
import { appendFileSync } from 'node:fs';
import process from 'node:process';
import { createClient } from '@parley/client';
import { createFilePositionStore } from '@parley/client/node';

const [url = '', email = '', apiKey = '', position = '', handled = ''] = process.argv.slice(2);
const client = createClient(url, { login: { email, apiKey } });
const events = client.events({ types: ['message'], resume: createFilePositionStore(position) });
const state = await events.open();
console.log(state ? 'registered' : 'resumed');
for await (const event of events) {
  appendFileSync(handled, `${event.type === 'message' ? event.message.content : event.type}\n`);
}
