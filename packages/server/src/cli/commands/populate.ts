import type { Command } from 'commander';
import { addCommand, createAction, parseWholeNumber, type TaskRunner } from './command-options.ts';

const defaults = { users: 50, streams: 10, topics: 10, messages: 10_000, seed: 1 };

export function declarePopulate(program: Command, perform: TaskRunner): void {
  addCommand(
    program,
    'populate',
    'fill an organization with generated users, streams and messages, for trials and benchmarks',
  )
    .requiredOption('--realm <subdomain>', 'the organization; empty for the base domain itself')
    .option('--users <number>', 'number of users to create; they have no password', parseWholeNumber, defaults.users)
    .option('--streams <number>', 'number of streams to create', parseWholeNumber, defaults.streams)
    .option('--topics <number>', 'number of topics in each stream', parseWholeNumber, defaults.topics)
    .option('--messages <number>', 'number of messages in all streams together', parseWholeNumber, defaults.messages)
    .option(
      '--subscribers <number>',
      'number of subscribers of each stream; default: all created users',
      parseWholeNumber,
    )
    .option(
      '--seed <number>',
      'seed of the random generator; the same seed produces the same data',
      parseWholeNumber,
      defaults.seed,
    )
    .action(
      createAction(perform, 'populate', (_, { realm, users, streams, topics, messages, subscribers, seed }) => ({
        ...{ realm, users, streams, topics, messages, seed },
        subscribers: Math.min(Number(subscribers ?? users), Number(users)),
      })),
    );
}
