// Prints the messages of a stream as they are sent: node examples/follow-stream.mjs kitchen [messages]
// It first prints the last few messages. With a number of messages, it ends after as many new ones.
import process from 'node:process';
import { clientFromHere } from '@parley/client/node';

const [stream, most = 'Infinity'] = process.argv.slice(2);
if (!stream) {
  console.error('Which stream? node examples/follow-stream.mjs STREAM [MESSAGES]');
  process.exit(2);
}

const client = clientFromHere({ name: 'FollowStream' });
const ending = new AbortController();
process.once('SIGINT', () => ending.abort());

// The queue is opened before the past is fetched, so no message is missed.
const events = client.events({ types: ['message'], narrow: [['stream', stream]], signal: ending.signal });
await events.open();
const past = await client.getMessages({
  anchor: 'newest',
  num_before: 5,
  num_after: 0,
  narrow: [{ operator: 'stream', operand: stream }],
  apply_markdown: false,
});
for (const message of past.messages) print(message);
console.log(`-- following ${stream}`);

// Messages between the two are in both.
const printed = past.messages.at(-1)?.id ?? 0;
let left = Number(most);
if (left > 0) {
  for await (const event of events) {
    if (event.type === 'resync') console.log('-- some messages may be missing here');
    else if (event.message.id > printed) {
      print(event.message);
      if (--left === 0) break;
    }
  }
}

/** @param {{ sender_full_name: string, subject: string, content: string }} message */
function print({ sender_full_name, subject, content }) {
  console.log(`[${subject}] ${sender_full_name}: ${content}`);
}
