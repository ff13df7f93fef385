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
