import type { Command } from 'commander';
import { addCommand, createAction, parseWholeNumber, type TaskRunner } from './command-options.ts';

const defaults = { users: 50, streams: 10, topics: 10, messages: 10_000, seed: 1 };

export function declarePopulate(program: Command, perform: TaskRunner): void {
  addCommand(
    program,
    'populate',
    'fill an organization with invented people, streams and messages, for trials and benchmarks',
  )
    .requiredOption('--realm <subdomain>', 'the organization; empty for the base domain itself')
    .option('--users <number>', 'people to make; they have no password', parseWholeNumber, defaults.users)
    .option('--streams <number>', 'streams to make', parseWholeNumber, defaults.streams)
    .option('--topics <number>', 'topics in each stream', parseWholeNumber, defaults.topics)
    .option('--messages <number>', 'messages in total', parseWholeNumber, defaults.messages)
    .option('--subscribers <number>', 'people in each stream; everyone made, if not given', parseWholeNumber)
    .option('--seed <number>', 'the same seed makes the same', parseWholeNumber, defaults.seed)
    .action(
      createAction(perform, 'populate', (_, { realm, users, streams, topics, messages, subscribers, seed }) => ({
        ...{ realm, users, streams, topics, messages, seed },
        subscribers: Math.min(Number(subscribers ?? users), Number(users)),
      })),
    );
}
