import { isRunByNpm } from '../config/index.ts';

/** The reason why a server stops: a signal, or the end of the shell that npm started it in. */
export type StopRequest = NodeJS.Signals | 'parent exited';

/** Milliseconds in which further signals are copies: on Ctrl-C the terminal signals the server, and npm may do so again. */
const COPIES = 1000;
/** Milliseconds between two checks of the parent; a check is one system call. */
const INTERVAL = 250;
/** The process that adopts orphans. */
const INIT = 1;

/** Resolves when the process should stop. Called before anything starts, so that a signal during the start is not lost. */
export function waitForStopRequest(): Promise<StopRequest> {
  return new Promise((resolve) => {
    waitForSignal(resolve);
    if (isRunByNpm() && process.ppid !== INIT) watchParent(process.ppid, resolve);
  });
}

/** Signals after the copies of the first one end the process at once. */
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
