// A proxy between clients and servers: one URL, whose connections lead to one server after the other, or to none.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type ConnectionProxy = Awaited<ReturnType<typeof startConnectionProxy>>;

export async function startConnectionProxy(...first: number[]) {
  let ports = first;
  let turn = 0;
  let still = false;
  const open = new Set<Socket>();
  const join = (client: Socket, server: Socket) => {
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      open.add(one);
      one.on('data', (bytes) => {
        if (!still) other.write(bytes);
      });
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
  };
  const listener = createServer((client) => {
    const port = ports[turn++ % Math.max(ports.length, 1)];
    if (port === undefined) client.destroy();
    else join(client, connect(port, '127.0.0.1'));
  }).listen(0);
  await once(listener, 'listening');
  const door = {
    url: `http://localhost:${(listener.address() as AddressInfo).port}`,
    /** The ports that new connections lead to from now on, in turn; none: connections fail. */
    lead(...to: number[]) {
      ports = to;
    },
    /** Breaks all connections. */
    cut() {
      for (const socket of open) socket.destroy();
    },
    /** Drops all bytes without closing a connection, like a pulled cable. */
    hush(now: boolean) {
      still = now;
    },
    async close() {
      door.cut();
      listener.close();
      await once(listener, 'close');
    },
  };
  return door;
}
