// Demo organizations that are all the same at their start, one after another in one database.
import { keepContents } from './database.ts';
import { type Demo, demoDatabase, startDemo } from './demo.ts';

export interface ChangingDemo {
  /** Starts a server on the database as it was at first. Close the one before. */
  restart(): Promise<Demo>;
  close(): Promise<void>;
}

/** @param prepare - What is done once, before the state is kept that each demo starts with. */
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
