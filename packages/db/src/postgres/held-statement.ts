import type { QueryResult } from 'pg';

/** A statement that waits for the next one of its session, to be sent in one round trip with it. */
export class HeldStatement<Statement> {
  readonly statement: Statement;
  readonly result: Promise<QueryResult>;
  #resolve: (result: QueryResult) => void = () => {};
  #reject: (error: unknown) => void = () => {};

  constructor(statement: Statement) {
    this.statement = statement;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  readonly succeed = (result: QueryResult): void => this.#resolve(result);

  /** No effect if it has succeeded. */
  readonly fail = (error: unknown): void => this.#reject(error);

  /** Ends as `result` does; does not reject. */
  async endWith(result: Promise<QueryResult>): Promise<void> {
    await result.then(this.#resolve, this.#reject);
  }
}

/** The statements of a session that wait, in their order. */
export class HeldStatements<Statement> {
  #waiting: HeldStatement<Statement>[] = [];

  /** Without another statement in the same turn of the event loop, `runAlone` gets all that wait. */
  hold(statement: Statement, runAlone: (held: readonly HeldStatement<Statement>[]) => void): Promise<QueryResult> {
    const held = new HeldStatement(statement);
    this.#waiting.push(held);
    setImmediate(() => {
      if (this.#waiting.at(-1) === held) runAlone(this.take());
    });
    return held.result;
  }

  /** Those that wait go out with the statement that takes them. */
  take(): readonly HeldStatement<Statement>[] {
    if (this.#waiting.length === 0) return NONE;
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }
}

const NONE: readonly never[] = [];
