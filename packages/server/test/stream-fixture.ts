// Ada and Ben in a stream of their own: where most stories about messages begin.
import type { Chat, TestUser } from './chat.ts';

type Settings = Omit<Parameters<Chat['stream']>[1], 'by' | 'members'>;

export interface StreamFixture {
  readonly ada: TestUser;
  readonly ben: TestUser;
  readonly name: string;
  readonly id: number;
  send(from: TestUser, content?: string, topic?: string): Promise<number>;
  /** Lets everyone hear what there is, so that only news are heard afterwards. */
  discardEvents(): Promise<void>;
}

let made = 0;

/** A stream that Ada made, with Ben and `others` in it, and nothing heard yet. */
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

/** A private stream that shows newcomers what was written before them. */
export const shared: Settings = { invite_only: true, history_public_to_subscribers: true };

/** One that does not. */
export const guarded: Settings = { invite_only: true };
