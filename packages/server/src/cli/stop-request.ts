import { isRunByNpm } from '../config/index.ts';

/** Why a server stops: a signal, or the end of the shell that npm started it in. */
export type StopRequest = NodeJS.Signals | 'parent exited';

/** Milliseconds in which further signals are copies: on Ctrl-C the terminal signals the server, and npm may do so again. */
const COPIES = 1000;
/** Milliseconds between two looks at the parent; a look is one system call. */
const INTERVAL = 250;
/** What adopts a process whose parent is gone. */
const INIT = 1;

/** Resolves when the process should stop. Called before anything starts, so that a signal during the start is not lost. */
export function waitForStopRequest(): Promise<StopRequest> {
  return new Promise((resolve) => {
    waitForSignal(resolve);
    if (isRunByNpm() && process.ppid !== INIT) watchParent(process.ppid, resolve);
  });
}

/** Signals that come later than the copies of the first end the process at once. */
function waitForSignal(resolve: (signal: NodeJS.Signals) => void): void {
  const signals = ['SIGTERM', 'SIGINT'] as const;
  const stop = (signal: NodeJS.Signals): void => {
    resolve(signal);
    setTimeout(() => {
      for (const each of signals) process.off(each, stop);
    }, COPIES).unref();
  };
  for (const signal of signals) process.on(signal, stop);
}

/** npm passes SIGTERM on to its shell only, and the shell ends without passing it on. */
function watchParent(parent: number, resolve: (request: StopRequest) => void): void {
  const looking = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(looking);
    resolve('parent exited');
  }, INTERVAL);
  looking.unref();
}
