// Every measurement, in the order in which they run.
import { abuse } from './abuse.ts';
import { anonymous } from './anonymous.ts';
import { commands } from './commands.ts';
import { fanout } from './fanout.ts';
import { flags } from './flags.ts';
import { follow } from './follow.ts';
import { growth } from './growth.ts';
import type { Measurement } from './harness/measurement.ts';
import { history } from './history.ts';
import { idle } from './idle.ts';
import { latency } from './latency.ts';
import { lists } from './lists.ts';
import { mark } from './mark.ts';
import { move } from './move.ts';
import { order } from './order.ts';
import { overhead } from './overhead.ts';
import { overload } from './overload.ts';
import { pages } from './pages.ts';
import { rejection } from './rejection.ts';
import { rename } from './rename.ts';
import { send } from './send.ts';
import { start } from './start.ts';
import { subscribe } from './subscribe.ts';
import { typing } from './typing.ts';
import { units } from './units.ts';
import { users } from './users.ts';
import { validation } from './validation.ts';

export const measurements: readonly Measurement[] = [
  send,
  flags,
  mark,
  rename,
  move,
  typing,
  subscribe,
  idle,
  fanout,
  follow,
  order,
  latency,
  lists,
  history,
  overhead,
  overload,
  rejection,
  abuse,
  anonymous,
  units,
  users,
  validation,
  start,
  commands,
  pages,
  growth,
];
