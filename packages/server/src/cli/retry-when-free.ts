import { setTimeout as pause } from 'node:timers/promises';
import { DirectoryInUse } from '@parley/db';

/** Milliseconds to wait for a server that is just starting, or for another command. */
export const DIRECTORY_TIMEOUT = 30_000;

/** Opens a server's directory. It waits for another command that uses it, but not for a server. */
export async function retryWhenFree<T>(start: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + DIRECTORY_TIMEOUT;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      if (!(error instanceof DirectoryInUse) || isServer(error.holder.command) || Date.now() > deadline) throw error;
      await pause(100);
    }
  }
}

const isServer = (command: string): boolean => command === 'parley serve' || command === 'parley dev';
