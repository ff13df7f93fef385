// Demo organizations with the same first state, one after another in one database.
import { keepContents } from './database.ts';
import { type Demo, demoDatabase, startDemo } from './demo.ts';

export interface ChangingDemo {
  /** Starts a server on the database in its first state. Close the one before. */
  restart(): Promise<Demo>;
  close(): Promise<void>;
}

/** @param prepare - Runs once, before the state is saved with which each demo starts. */
export async function startChangingDemo(
  prepare: (demo: Demo) => Promise<void> = async () => {},
): Promise<ChangingDemo> {
  const database = await demoDatabase();
  const first = await startDemo({ database });
  await prepare(first);
  await first.close();
  const restore = await keepContents(database);
  return {
    async restart() {
      await restore();
      return startDemo({ database });
    },
    close: () => database.close(),
  };
}
