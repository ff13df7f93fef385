// Many users write at once, on two servers, and one reads: every event arrives once, in the order of the changes.
import { addStreams, addUsers, type BenchStream, join, settle } from './harness/fill.ts';
import type { BenchUser } from './harness/http.ts';
import { atMost, type Measurement } from './harness/measurement.ts';
import type { BenchServer } from './harness/server.ts';

const WRITERS = 16;

interface Queue {
  readonly queue_id: string;
  readonly last_event_id: number;
}

interface DeliveredMessage {
  /** The id of the event. */
  readonly id: number;
  readonly message_id: number;
  readonly stream_id: number;
}

export const order: Measurement = {
  name: 'order',
  async run(harness) {
    const organization = await harness.organization();
    const [reader, ...writers] = await addUsers(organization, WRITERS + 1);
    const streams = await addStreams(organization, 4);
    if (!reader) throw new Error('There is no reader.');
    await join(organization, streams, [reader, ...writers]);
    await settle(organization);
    const [near, far] = [await harness.server(organization), await harness.server(organization)];
    // Warm servers write more.
    await writeFor(1000, [near, far], writers, streams);
    const { text } = await near.request(reader, 'POST /register', { event_types: ['message'] });
    const span = harness.span(10);
    const writing = writeFor(span, [near, far], writers, streams);
    const delivered = await follow(near, reader, JSON.parse(text) as Queue, writing);
    const sent_ids = await writing;
    const ids = new Set(delivered.map(({ message_id }) => message_id));
    const lost = sent_ids.filter((id) => !ids.has(id)).length;
    const doubled = delivered.length - ids.size;
    const disordered = disorder(delivered);
    return [
      atMost({
        compared: `events lost, doubled or out of order with ${WRITERS} writers on two servers and a reader who follows`,
        value: lost + doubled + disordered,
        limit: 0,
        unit: '',
        figures: {
          ...{ sent: sent_ids.length, lost, doubled, 'out of order': disordered },
          'messages a second': (1000 * sent_ids.length) / span,
        },
      }),
    ];
  },
};

/**
 * All users write as fast as they get responses; then one last message is sent. Returns the ids of all acknowledged
 * messages.
 */
async function writeFor(
  span: number,
  servers: readonly BenchServer[],
  users: readonly BenchUser[],
  streams: readonly BenchStream[],
): Promise<number[]> {
  const sent_ids: number[] = [];
  const end = performance.now() + span;
  const write = async (who: BenchUser, n: number, turn: number) => {
    const message = {
      type: 'stream',
      to: streams[turn % streams.length]?.id,
      topic: `soup ${n}`,
      content: 'Soup is ready.',
    };
    const response = await servers[n % servers.length]?.request(who, 'POST /messages', message);
    sent_ids.push((JSON.parse(response?.text ?? '{}') as { id: number }).id);
  };
  const writer = async (who: BenchUser, n: number) => {
    for (let turn = n; performance.now() < end; turn++) await write(who, n, turn);
  };
  await Promise.all(users.map(writer));
  // A client that has received everything would wait long for the next event.
  for (const who of users.slice(0, 1)) await write(who, 0, 0);
  return sent_ids;
}

/** The events that the reader receives until the writers have stopped and nothing is left. */
async function follow(
  server: BenchServer,
  reader: BenchUser,
  { queue_id, last_event_id }: Queue,
  writing: Promise<unknown>,
): Promise<DeliveredMessage[]> {
  const delivered: DeliveredMessage[] = [];
  let last = last_event_id;
  let stopped = false;
  writing.then(
    () => (stopped = true),
    () => (stopped = true),
  );
  for (;;) {
    const isLastLook = stopped;
    const { text } = await server.request(reader, 'GET /events', {
      queue_id,
      last_event_id: last,
      dont_block: isLastLook,
    });
    const { events } = JSON.parse(text) as { events: { id: number; message?: { id: number; stream_id: number } }[] };
    for (const { id, message } of events) {
      last = Math.max(last, id);
      if (message) delivered.push({ id, message_id: message.id, stream_id: message.stream_id });
    }
    if (isLastLook && events.length === 0) return delivered;
  }
}

/**
 * Events whose id is not higher than that of the previous one, and messages that arrive after a newer one of their
 * stream.
 */
function disorder(delivered: readonly DeliveredMessage[]): number {
  const newest = new Map<number, number>();
  let last = 0;
  let wrong = 0;
  for (const { id, message_id, stream_id } of delivered) {
    if (id <= last || message_id < (newest.get(stream_id) ?? 0)) wrong++;
    last = id;
    newest.set(stream_id, message_id);
  }
  return wrong;
}
