// The beginning of every history, so that the commands have objects to work on from the first.
import { flagging } from './flagging.ts';
import { toStream, toUsers } from './sending.ts';
import type { ModelStep } from './step.ts';
import { changing } from './streams.ts';
import { creating, joining } from './subscribing.ts';

const mention = { whom: 1, how: 'not at all' };
const say = (from: number, stream: number, how = 'not at all'): ModelStep =>
  toStream({ from, stream, topic: 'soup', mention: { ...mention, how }, read: false });

const keep = (by: number, op: 'add' | 'remove', flag: 'read' | 'starred', messages: number[]): ModelStep =>
  flagging({ by, op, flag, reach: 'old', messages, nowhere: false });

/**
 * Ada 0 is an administrator, Eve 4 a guest; stream 0 is public, 1 private, 2 private with protected history, as is 3,
 * of which Cleo 2 has flags on messages that she did not receive.
 */
export const prelude: readonly ModelStep[] = [
  creating({ by: 0, privacy: 'public', members: [0, 1] }),
  creating({ by: 1, privacy: 'shared', members: [1, 2] }),
  creating({ by: 2, privacy: 'protected', members: [2, 3, 0] }),
  say(1, 0, 'everyone'),
  say(2, 1, 'by name'),
  say(3, 2, 'topic'),
  toUsers({ from: 0, to: [1, 4], mention, read: true }),
  joining({ by: 2, stream: 2, members: [1] }),
  joining({ by: 3, stream: 0, members: [] }),
  creating({ by: 0, privacy: 'public', members: [0, 1] }),
  say(1, 3, 'everyone'),
  say(0, 3),
  say(1, 3, 'ahoy'),
  joining({ by: 2, stream: 3, members: [] }),
  keep(2, 'remove', 'read', [2, 3, 5]),
  keep(2, 'add', 'starred', [1, 2, 4]),
  changing({ by: 0, stream: 3, privacy: 'protected', rename: false }),
];
