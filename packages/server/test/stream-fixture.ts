// Ada and Ben in a stream of their own: the fixture of most tests about messages.
import type { Chat, TestUser } from './chat.ts';

type Settings = Omit<Parameters<Chat['stream']>[1], 'by' | 'members'>;

export interface StreamFixture {
  readonly ada: TestUser;
  readonly ben: TestUser;
  readonly name: string;
  readonly id: number;
  send(from: TestUser, content?: string, topic?: string): Promise<number>;
  /** Discards the pending events of all, so that only later ones are taken. */
  discardEvents(): Promise<void>;
}

let made = 0;

/** A stream that Ada created, with Ben and `others` in it, and without pending events. */
export async function createStreamFixture(
  chat: Chat,
  others: readonly TestUser[] = [],
  settings: Settings = {},
): Promise<StreamFixture> {
  const [ada, ben] = await chat.users('ada', 'ben');
  const name = `room ${made++}`;
  const id = await chat.stream(name, { by: ada, members: [ben, ...others], ...settings });
  const discardEvents = async () => {
    for (const person of [ada, ben, ...others]) await person.takeEvents();
  };
  await discardEvents();
  return {
    ada,
    ben,
    name,
    id,
    discardEvents,
    send: (from, content = 'hello', topic = 'soup') => chat.message({ from, to: name, topic, content }),
  };
}

/** A private stream whose new subscribers can read earlier messages. */
export const shared: Settings = { invite_only: true, history_public_to_subscribers: true };

/** One whose new subscribers cannot. */
export const guarded: Settings = { invite_only: true };
