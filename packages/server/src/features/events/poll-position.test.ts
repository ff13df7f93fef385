// Polls that continue at the cursor that the server keeps of their queue. Here the server reads the log only when
// notified.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  const never = 3_600_000;
  chat = await startChat({
    ownDatabase: true,
    pollTimes: { quiet: never, spread: 0, tick: never, fallback: never, coalesce: 1 },
  });
});
afterAll(() => chat.close());

const waits = (count: number) => expect.poll(() => chat.app.polls.waiting()).toBe(count);

/** A queue of messages, and a client that polls it. */
async function createPoller({ api }: TestUser) {
  const { queue_id, last_event_id } = await api.registerQueue({ event_types: ['message'] });
  let last = last_event_id;
  return {
    queue_id,
    async pollOnce() {
      const { events } = await api.getEvents({ queue_id, last_event_id: last });
      last = events.at(-1)?.id ?? last;
      return events.map((event) => event.type === 'message' && event.message.content);
    },
  };
}

test('events that happen while no poll waits are delivered by the next poll of each queue', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const pollers = [await createPoller(ben), await createPoller(ben), await createPoller(ben)];
  for (let round = 0; round < 6; round++) {
    const polls = pollers.map(({ pollOnce }) => pollOnce());
    await waits(pollers.length);
    await chat.message({ from: ada, to: [ben], content: `all ${round}` });
    for (const poll of polls) expect(await poll).toEqual([`all ${round}`]);
    await waits(0);
    await chat.message({ from: ada, to: [ben], content: `round ${round}` });
    // One queue is read, and the others still have the earlier position in the log.
    for (let n = 0; n < pollers.length; n++) {
      expect(await pollers[(n + round) % pollers.length]?.pollOnce()).toEqual([`round ${round}`]);
    }
  }
});

test('concurrent polls and events lose nothing', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const pollers = await Promise.all(Array.from({ length: 5 }, () => createPoller(ben)));
  const said = Array.from({ length: 60 }, (_, n) => String(n));
  const follow = async ({ pollOnce }: Awaited<ReturnType<typeof createPoller>>) => {
    const heard: unknown[] = [];
    while (heard.length < said.length) heard.push(...(await pollOnce()));
    return heard;
  };
  const all = Promise.all(pollers.map(follow));
  for (const content of said) await chat.message({ from: ada, to: [ben], content });
  for (const heard of await all) expect(heard).toEqual(said);
});
