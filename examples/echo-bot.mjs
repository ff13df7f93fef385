// A bot that replies with the same text to direct messages, and to mentions of it in streams.
// Start it with the bot's token (with the scopes read and write): PARLEY_URL=… PARLEY_TOKEN=… node examples/echo-bot.mjs
import process from 'node:process';
import { ParleyError, replyTo } from '@parley/client';
import { clientFromHere, createFilePositionStore } from '@parley/client/node';

const client = clientFromHere({ name: 'EchoBot', logger: console });
const me = await client.getOwnUser();
const ending = new AbortController();
process.once('SIGINT', () => ending.abort());
process.once('SIGTERM', () => ending.abort());

// Messages that arrive while the bot restarts get their reply when it is back, within an hour.
const resume = createFilePositionStore(`echo-bot-${me.user_id}.position.json`);
const events = client.events({ types: ['message'], queue_lifespan_secs: 3600, resume, signal: ending.signal });
await events.open();
console.log(`${me.full_name} listens.`);

for await (const event of events) {
  // After a resync, the messages in between get no reply: an echo that late would only confuse.
  if (event.type !== 'message') continue;
  const { message, flags } = event;
  const isMeant = message.type === 'private' || flags.includes('mentioned');
  if (message.sender_id === me.user_id || !isMeant) continue;
  // Each message gets one reply, even if this program is started twice.
  const once = { idempotencyKey: `echo-${message.id}` };
  await client.sendMessage({ ...replyTo(message), content: message.content }, once).catch((error) => {
    // A reply that fails, for example in a stream where bots cannot post, must not stop the bot.
    if (!ParleyError.is(error)) throw error;
    console.warn(error.message);
  });
}
