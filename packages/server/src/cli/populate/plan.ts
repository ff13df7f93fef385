// Plans what to create before the database is queried: the same seed creates the same organization.
import { collectFacts, render } from '../../text/markdown.ts';
import { createRandom, type Random } from './random.ts';
import { fullName, messageText, streamName, topicName } from './words.ts';

export interface Sizes {
  readonly users: number;
  readonly streams: number;
  /** In each stream. */
  readonly topics: number;
  readonly messages: number;
  /** In each stream, besides the owner. */
  readonly subscribers: number;
  readonly seed: number;
}

export interface PlannedUser {
  readonly full_name: string;
  readonly email: string;
  /** Days ago. */
  readonly joined: number;
}

export interface PlannedStream {
  readonly name: string;
  readonly topics: readonly string[];
  /** Indices of its users. */
  readonly members: readonly number[];
}

export interface PlannedText {
  readonly content: string;
  readonly html: string;
  readonly has_link: boolean;
}

/** The indices of stream, topic, user and text. */
export interface PlannedMessage {
  readonly stream: number;
  readonly topic: number;
  readonly user_id: number;
  readonly text: number;
}

export interface Plan {
  readonly users: readonly PlannedUser[];
  readonly streams: readonly PlannedStream[];
  readonly texts: readonly PlannedText[];
  /** In the order in which they are inserted. */
  messages(): Generator<PlannedMessage>;
}

const TEXTS = 1000;
const LONGEST_AGO = 300;

/** `from`: a number above all ids of accounts and streams of the organization, so that names are new. */
export function plan(sizes: Sizes, from: number): Plan {
  const random = createRandom(sizes.seed);
  const users = Array.from({ length: sizes.users }, (_, n) => planUser(random, from + n));
  const everyone = users.map((_, n) => n);
  const streams = Array.from({ length: sizes.streams }, (_, n) => ({
    name: `${streamName(random)}-${from + n}`,
    topics: Array.from({ length: sizes.topics }, (_, t) => `${topicName(random)} ${t + 1}`),
    members: sizes.subscribers < sizes.users ? random.shuffled(everyone).slice(0, sizes.subscribers) : everyone,
  }));
  const texts = Array.from({ length: Math.min(TEXTS, sizes.messages) }, () => text(random));
  return { users, streams, texts, messages: () => conversation(random, sizes, streams) };
}

function planUser(random: Random, number: number): PlannedUser {
  const full_name = `${fullName(random)} ${number}`;
  const email = `${full_name.toLowerCase().replaceAll(' ', '.')}@populated.example.com`;
  return { full_name, email, joined: random.below(LONGEST_AGO) };
}

function text(random: Random): PlannedText {
  const content = messageText(random);
  const { html, has_link } = render(content, collectFacts({ users: [], groups: [], streams: [] }));
  return { content, html, has_link };
}

/** Every topic gets its first message in turn; afterwards a few topics are busy and most are quiet. */
function* conversation(
  random: Random,
  { messages, topics }: Sizes,
  streams: readonly PlannedStream[],
): Generator<PlannedMessage> {
  for (let n = 0; n < messages; n++) {
    const first = n < streams.length * topics;
    const stream = first ? n % streams.length : random.below(streams.length);
    const topic = first ? Math.floor(n / streams.length) : Math.floor(random.next() ** 2 * topics);
    const members = streams[stream]?.members ?? [];
    yield { stream, topic, user_id: random.pick(members), text: random.below(TEXTS) };
  }
}
