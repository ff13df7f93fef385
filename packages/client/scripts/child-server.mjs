// Servers that scripts start as child processes.
/** Waits until an address responds with success. Fails when the process that serves it ends, or after so many seconds. */
export async function waitUntilReady(address, server, seconds) {
  for (const deadline = Date.now() + 1_000 * seconds; Date.now() < deadline; ) {
    if (hasEnded(server)) throw new Error(`${server.spawnargs.join(' ')} ended with ${endOf(server)}.`);
    const isReady = await fetch(address).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`${address} did not respond within ${seconds} seconds.`);
}

/** Ends a server, unless it has ended. */
export async function endServer(server) {
  if (hasEnded(server)) return;
  server.kill('SIGTERM');
  await new Promise((resolve) => server.once('exit', resolve));
}

/** The exit code, or the signal that ended it; null while it runs. */
const endOf = ({ exitCode, signalCode }) => exitCode ?? signalCode;
const hasEnded = (server) => endOf(server) !== null;
