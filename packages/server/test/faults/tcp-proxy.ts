// A TCP proxy in front of PostgreSQL that can be taken away and comes back at the same port.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export interface TcpProxy {
  /** The address of a database through it. */
  addressOf(url: string): string;
  /** Ends all connections and accepts no more. */
  cut(): Promise<void>;
  restore(): Promise<void>;
}

export async function startTcpProxy(url: string): Promise<TcpProxy> {
  const { hostname, port: target } = new URL(url);
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    return socket;
  };
  const listen = async (port: number): Promise<Server> => {
    const server = createServer((socket) => {
      const upstream = keep(connect(Number(target || 5432), hostname));
      keep(socket).pipe(upstream).pipe(socket);
    }).listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  let server = await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    addressOf(direct) {
      const through = new URL(direct);
      through.host = `127.0.0.1:${port}`;
      return through.toString();
    },
    async cut() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    async restore() {
      server = await listen(port);
    },
  };
}
