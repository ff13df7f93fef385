// Child processes that respond to requests of the benchmark.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

interface Question {
  readonly number: number;
  readonly about: string;
  readonly params: unknown;
}

interface Reply {
  readonly number: number;
  readonly value?: unknown;
  readonly problem?: string;
}

export interface Child {
  call<T>(about: string, params?: unknown): Promise<T>;
  stop(): Promise<void>;
}

/** Starts `bench/harness/<file>` with one argument, and waits until it is ready. */
export async function startChild(file: string, options: unknown, flags: readonly string[] = []): Promise<Child> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [JSON.stringify(options)], {
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
  const rejectAll = (why: string) => {
    for (const { reject } of waiting.values()) reject(new Error(`${file} ${why}`));
    waiting.clear();
  };
  child.on('exit', (code) => rejectAll(`ended with ${code}`));
  child.on('error', (error) => rejectAll(error.message));
  let calls = 0;
  const call = <T>(about: string, params?: unknown): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const number = ++calls;
      waiting.set(number, { resolve: resolve as (value: unknown) => void, reject });
      child.send({ number, about, params } satisfies Question, (error) => {
        if (error) rejectAll(error.message);
      });
    });
  await call('ready').catch(async (error: unknown) => {
    await ended(child);
    throw error;
  });
  return { call, stop: () => ended(child) };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  // A process that writes its profile does so when it gets a signal to end.
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), 5000);
  await exited;
  clearTimeout(late);
}

type CallHandlers = Record<string, (params: never) => unknown>;

/** The child's side: responds to the requests of its parent. */
export function serveCalls(handlers: CallHandlers): void {
  process.on('message', async ({ number, about, params }: Question) => {
    try {
      const handler = about === 'ready' ? () => true : handlers[about];
      if (!handler) throw new Error(`No handler for ${about}`);
      process.send?.({ number, value: await handler(params as never) } satisfies Reply);
    } catch (error) {
      process.send?.({ number, problem: String(error) } satisfies Reply);
    }
  });
  process.on('disconnect', () => process.exit());
  process.on('SIGTERM', () => process.exit());
}
