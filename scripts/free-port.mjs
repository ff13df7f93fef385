// Prints a port that no process uses, for shell scripts that start a server.
import getPort from 'get-port';

console.log(await getPort());
