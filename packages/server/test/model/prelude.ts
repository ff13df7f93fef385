// What every history begins with, so that the commands have something to work on from the first.
import { toPeople, toStream } from './sending.ts';
import type { Step } from './step.ts';
import { creating, joining } from './subscribing.ts';

const mention = { whom: 1, how: 'not at all' };
const say = (from: number, place: number, how = 'not at all'): Step =>
  toStream({ from, place, topic: 'soup', mention: { ...mention, how }, read: false });

/** Ada 0 is an administrator, Eve 4 a guest; stream 0 is public, 1 private, 2 private with protected history. */
export const prelude: readonly Step[] = [
  creating({ by: 0, privacy: 'public', people: [0, 1] }),
  creating({ by: 1, privacy: 'shared', people: [1, 2] }),
  creating({ by: 2, privacy: 'protected', people: [2, 3, 0] }),
  say(1, 0, 'everyone'),
  say(2, 1, 'by name'),
  say(3, 2, 'topic'),
  toPeople({ from: 0, to: [1, 4], mention, read: true }),
  joining({ by: 2, place: 2, people: [1] }),
  joining({ by: 3, place: 0, people: [] }),
];
