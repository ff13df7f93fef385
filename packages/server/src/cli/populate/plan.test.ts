import { describe, expect, test } from 'vitest';
import { plan, type Sizes } from './plan.ts';

const sizes: Sizes = { users: 20, streams: 3, topics: 4, messages: 200, subscribers: 6, seed: 1 };
const drawn = (changes: Partial<Sizes> = {}, from = 100) => {
  const { messages, ...rest } = plan({ ...sizes, ...changes }, from);
  return { ...rest, messages: [...messages()] };
};

describe('a plan for bulk data', () => {
  test('is the same for the same seed, and another for another seed', () => {
    expect(drawn()).toEqual(drawn());
    expect(drawn({ seed: 2 }).messages).not.toEqual(drawn().messages);
  });

  test('has the given sizes; users write where they are subscribed only, and each topic has messages', () => {
    const { users, streams, messages } = drawn();
    expect([users.length, streams.length, messages.length]).toEqual([20, 3, 200]);
    expect(streams.map(({ topics, members }) => [new Set(topics).size, new Set(members).size])).toEqual(
      Array(3).fill([4, 6]),
    );
    expect(messages.every(({ stream, user_id: person }) => streams[stream]?.members.includes(person))).toBe(true);
    expect(new Set(messages.map(({ stream, topic }) => `${stream} ${topic}`)).size).toBe(12);
  });

  test('has other names each time', () => {
    const [first, second] = [drawn(), drawn({}, 200)];
    const emails = [...first.users, ...second.users].map(({ email }) => email);
    const names = [...first.streams, ...second.streams].map(({ name }) => name);
    expect([new Set(emails).size, new Set(names).size]).toEqual([40, 6]);
  });

  test('keeps the limits of names', () => {
    const { users, streams } = drawn({ topics: 500, users: 500 }, 9_999_999);
    expect(Math.max(...streams.flatMap(({ topics }) => topics.map((name) => name.length)))).toBeLessThanOrEqual(60);
    expect(Math.max(...streams.map(({ name }) => name.length))).toBeLessThanOrEqual(60);
    expect(Math.max(...users.map(({ full_name }) => full_name.length))).toBeLessThanOrEqual(100);
  });
});
