// A bot that answers: whoever sends it a direct message, or mentions it in a stream, gets the same words back.
// Start it with the bot's token (with the scopes read and write): PARLEY_URL=… PARLEY_TOKEN=… node examples/echo-bot.mjs
import process from 'node:process';
import { ParleyError, replyTo } from '@parley/client';
import { clientFromHere, createFilePositionStore } from '@parley/client/node';

const client = clientFromHere({ name: 'EchoBot', logger: console });
const me = await client.getOwnUser();
const ending = new AbortController();
process.once('SIGINT', () => ending.abort());
process.once('SIGTERM', () => ending.abort());

// What is said while the bot restarts is answered when it is back.
const resume = createFilePositionStore(`echo-bot-${me.user_id}.position.json`);
const events = client.events({ types: ['message'], resume, signal: ending.signal });
await events.open();
console.log(`${me.full_name} listens.`);

for await (const event of events) {
  // After a resync the messages in between are not answered: an echo that late would only puzzle.
  if (event.type !== 'message') continue;
  const { message, flags } = event;
  const isMeant = message.type === 'private' || flags.includes('mentioned');
  if (message.sender_id === me.user_id || !isMeant) continue;
  // The same message is never answered twice, even if this program is started twice.
  const once = { idempotencyKey: `echo-${message.id}` };
  await client.sendMessage({ ...replyTo(message), content: message.content }, once).catch((error) => {
    // One that may not be answered, in a stream where bots may not post for example, is no reason to stop listening.
    if (!ParleyError.is(error)) throw error;
    console.warn(error.message);
  });
}
