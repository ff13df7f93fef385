import type { Command } from 'commander';
import { leaf, performs, type TaskRunner, wholeNumber } from './words.ts';

const defaults = { users: 50, streams: 10, topics: 10, messages: 10_000, seed: 1 };

export function declarePopulate(program: Command, perform: TaskRunner): void {
  leaf(
    program,
    'populate',
    'fill an organization with invented people, streams and messages, for trials and benchmarks',
  )
    .requiredOption('--realm <subdomain>', 'the organization; empty for the base domain itself')
    .option('--users <number>', 'people to make; they have no password', wholeNumber, defaults.users)
    .option('--streams <number>', 'streams to make', wholeNumber, defaults.streams)
    .option('--topics <number>', 'topics in each stream', wholeNumber, defaults.topics)
    .option('--messages <number>', 'messages in total', wholeNumber, defaults.messages)
    .option('--subscribers <number>', 'people in each stream; everyone made, if not given', wholeNumber)
    .option('--seed <number>', 'the same seed makes the same', wholeNumber, defaults.seed)
    .action(
      performs(perform, 'populate', (_, { realm, users, streams, topics, messages, subscribers, seed }) => ({
        ...{ realm, users, streams, topics, messages, seed },
        subscribers: Math.min(Number(subscribers ?? users), Number(users)),
      })),
    );
}
