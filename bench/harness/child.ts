// Child processes that respond to requests of the benchmark.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

interface Question {
  readonly number: number;
  readonly about: string;
  readonly given: unknown;
}

interface Reply {
  readonly number: number;
  readonly value?: unknown;
  readonly problem?: string;
}

export interface Child {
  ask<T>(about: string, given?: unknown): Promise<T>;
  stop(): Promise<void>;
}

/** Starts `bench/harness/<file>` with one argument, and waits until it is ready. */
export async function startChild(file: string, given: unknown, flags: readonly string[] = []): Promise<Child> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [JSON.stringify(given)], {
    execArgv: ['--import', 'tsx', ...flags],
    // The log of the server is written as usual, and discarded.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  child.on('message', ({ number, value, problem }: Reply) => {
    const caller = waiting.get(number);
    waiting.delete(number);
    if (problem === undefined) caller?.resolve(value);
    else caller?.reject(new Error(problem));
  });
  const gone = (why: string) => {
    for (const { reject } of waiting.values()) reject(new Error(`${file} ${why}`));
    waiting.clear();
  };
  child.on('exit', (code) => gone(`ended with ${code}`));
  child.on('error', (error) => gone(error.message));
  let calls = 0;
  const ask = <T>(about: string, question?: unknown): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const number = ++calls;
      waiting.set(number, { resolve: resolve as (value: unknown) => void, reject });
      child.send({ number, about, given: question } satisfies Question, (error) => {
        if (error) gone(error.message);
      });
    });
  await ask('ready').catch(async (error: unknown) => {
    await ended(child);
    throw error;
  });
  return { ask, stop: () => ended(child) };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  // A process that writes its profile does so when it is told to end.
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), 5000);
  await gone;
  clearTimeout(late);
}

type CallHandlers = Record<string, (given: never) => unknown>;

/** The child's side: responds to the requests of its parent. */
export function serveCalls(handlers: CallHandlers): void {
  process.on('message', async ({ number, about, given }: Question) => {
    try {
      const handler = about === 'ready' ? () => true : handlers[about];
      if (!handler) throw new Error(`No handler for ${about}`);
      process.send?.({ number, value: await handler(given as never) } satisfies Reply);
    } catch (error) {
      process.send?.({ number, problem: String(error) } satisfies Reply);
    }
  });
  process.on('disconnect', () => process.exit());
  process.on('SIGTERM', () => process.exit());
}
