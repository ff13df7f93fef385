// Runs in the folder that the packages are installed in: sends a message with the packed client, and starts a test server.
import assert from 'node:assert/strict';
import { createClient } from '@parley/client';
import { startTestServer } from '@parley/server/testing';

async function exchange(sender, reader) {
  const events = reader.events({ types: ['message'] });
  await events.open();
  const { id } = await sender.sendMessage({ type: 'stream', to: 'general', topic: 'packages', content: 'Soup?' });
  const { value } = await events.next();
  assert.equal(value.message.id, id);
  await events.return();
}

const [url, email, apiKey] = process.argv.slice(2);
const owner = createClient(url, { login: { email, apiKey } });
await owner.subscribe({ subscriptions: [{ name: 'general' }] });
await exchange(owner, owner);

const server = await startTestServer();
const tested = createClient(server.url, { login: server.login });
await tested.subscribe({ subscriptions: [{ name: 'general' }] });
await exchange(tested, tested);
await server.stop();
