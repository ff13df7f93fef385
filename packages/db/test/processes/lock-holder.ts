// Takes the lock of a directory as a process of its own and reports it; holds it until it is killed or asked to release
// it.
import { DirectoryInUse, lockDirectory } from '../../src/lock.ts';

const [directory = '', name = 'a test'] = process.argv.slice(2);
const started = Number(process.argv[4] ?? 0);
// Concurrent starters wait for the same time.
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
