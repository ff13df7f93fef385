// Schedules a digest: counts the unread messages of your streams by topic, and schedules a message to you for tomorrow
// at eight. Run it from cron or by hand: node examples/daily-digest.mjs. A second run on the same day changes nothing.
import process from 'node:process';
import { clientFromHere } from '@parley/client/node';

const client = clientFromHere({ name: 'Digest' });
const me = await client.getOwnUser();
const { unread_msgs, subscriptions } = await client.registerQueue({
  event_types: [],
  fetch_event_types: ['message', 'update_message_flags', 'subscription'],
  queue_lifespan_secs: 1,
});

const names = new Map((subscriptions ?? []).map(({ stream_id, name }) => [stream_id, name]));
const lines = (unread_msgs?.streams ?? []).map(
  ({ stream_id, topic, unread_message_ids }) =>
    `- #**${names.get(stream_id) ?? stream_id}>${topic}**: ${unread_message_ids.length} unread`,
);
if (lines.length === 0) {
  console.log('Nothing unread, nothing scheduled.');
  process.exit(0);
}

const when = new Date();
when.setDate(when.getDate() + 1);
when.setHours(8, 0, 0, 0);
const scheduled_delivery_timestamp = when.getTime() / 1000;
const { scheduled_messages } = await client.getScheduledMessages();
if (scheduled_messages.some((one) => one.scheduled_delivery_timestamp === scheduled_delivery_timestamp)) {
  console.log('The digest is scheduled already.');
  process.exit(0);
}
const { scheduled_message_id } = await client.scheduleMessage(
  {
    type: 'direct',
    to: [me.user_id],
    content: ['Good morning. Waiting for you:', ...lines].join('\n'),
    scheduled_delivery_timestamp,
  },
  // Two runs at the same moment schedule one message.
  { idempotencyKey: `digest-${me.user_id}-${when.toISOString().slice(0, 10)}` },
);
console.log(`Digest ${scheduled_message_id} goes out on ${when.toLocaleString('en')}.`);
