// Takes the lock of a directory as a process of its own and says so; it holds it until it is killed or told to let go.
import { DirectoryInUse, lockDirectory } from '../../src/lock.ts';

const [directory = '', name = 'a test'] = process.argv.slice(2);
const started = Number(process.argv[4] ?? 0);
// Starters that are to meet are given one moment.
while (Date.now() < started);
try {
  const lock = await lockDirectory(directory, name);
  process.stdout.write('taken\n');
  process.stdin.once('data', () => {
    lock.release();
    process.exit(0);
  });
} catch (error) {
  if (!(error instanceof DirectoryInUse)) throw error;
  process.stdout.write(`refused ${error.holder.pid}\n`);
}
