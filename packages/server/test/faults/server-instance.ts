// A server or a worker that faults end and that starts again, as a process manager starts it.
import { setTimeout as pause } from 'node:timers/promises';
import { type Environment, type Process, startServer } from '../parley.ts';

/** Milliseconds between attempts to start a process that cannot start, as while the database is away. */
const PAUSE = 200;
/** Milliseconds in which a process must have started. */
const START = 60_000;

export class ServerInstance {
  readonly #environment: Environment;
  readonly #command: 'serve' | 'work';
  #process: Process | undefined;
  /** Only one fault at a time affects an instance. */
  #turn: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  /** The program of the next start; absent: this release. */
  release: string | undefined;
  /** How often a fault has ended the process. */
  ends = 0;
  kills = 0;
  /** Ends that no fault caused, and exit codes other than 0 after SIGTERM. */
  readonly unexpected: string[] = [];

  constructor(environment: Environment, command: 'serve' | 'work') {
    this.#environment = environment;
    this.#command = command;
  }

  /** Undefined while there is no process. */
  get process(): Process | undefined {
    return this.#process;
  }

  async start(): Promise<void> {
    const giveUp = performance.now() + START;
    for (;;) {
      try {
        this.#process = await startServer(this.#environment, this.#command, this.release);
        break;
      } catch (error) {
        if (performance.now() > giveUp) throw error;
        await pause(PAUSE);
      }
    }
    const { child, printed } = this.#process;
    child.once('close', (code, signal) => {
      if (this.#process?.child === child && !this.#isClosed) {
        this.unexpected.push(`${this.#command} ended with ${code ?? signal}: ${printed().slice(-2000)}`);
      }
    });
  }

  /** Ends the process with a signal, and starts another one. */
  restart(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    return this.#inTurn(async () => {
      const process = this.#process;
      this.ends++;
      this.#process = undefined;
      if (signal === 'SIGKILL') this.kills++;
      const code = await process?.end(signal);
      if (signal === 'SIGTERM' && code !== 0) {
        this.unexpected.push(`${this.#command} ended with ${code} after SIGTERM: ${process?.printed().slice(-2000)}`);
      }
      await this.start();
    });
  }

  /** Stops the process with SIGSTOP, as a machine that hangs does. */
  suspend(milliseconds: number): Promise<void> {
    return this.#inTurn(async () => {
      this.#process?.child.kill('SIGSTOP');
      await pause(milliseconds);
      this.#process?.child.kill('SIGCONT');
    });
  }

  async close(): Promise<number | NodeJS.Signals | undefined> {
    await this.#turn;
    this.#isClosed = true;
    return this.#process?.end('SIGTERM');
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }
}
