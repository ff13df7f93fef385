// A TCP proxy in front of PostgreSQL that can be stopped, start again at the same port, and become silent.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Which bytes a silent proxy holds back: all, or only those of the responses. */
export type Silence = 'both' | 'responses';

export interface TcpProxy {
  /** The address of a database through it. */
  addressOf(url: string): string;
  /** Ends all connections and accepts no more. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  /** Forwards nothing and closes nothing, on open connections and on new ones. */
  fallSilent(silence: Silence): void;
  /** Serves new connections again. Those that were open stay silent for ever, as after a network lost their packets. */
  serveNew(): void;
  /**
   * Likewise, but when one side of a silent connection closes it, the other side is closed, too: packets arrive again.
   */
  recover(): void;
}

/** `onRequest` gets what is sent to the server, and the number of the connection. */
export async function startTcpProxy(
  url: string,
  onRequest?: (bytes: Buffer, connection: number) => void,
): Promise<TcpProxy> {
  const { hostname, port: target } = new URL(url);
  const sockets = new Set<Socket>();
  const pairs: [client: Socket, upstream: Socket][] = [];
  const silenced = new Set<[Socket, Socket]>();
  let silence: Silence | undefined;
  let connections = 0;
  const silencePair = (pair: [Socket, Socket], which: Silence) => {
    silenced.add(pair);
    keepBack(pair, which);
  };
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    return socket;
  };
  const listen = async (port: number): Promise<Server> => {
    const server = createServer((socket) => {
      const upstream = keep(connect(Number(target || 5432), hostname));
      keep(socket).pipe(upstream).pipe(socket);
      const pair: [Socket, Socket] = [socket, upstream];
      pairs.push(pair);
      const connection = ++connections;
      if (onRequest) socket.on('data', (bytes) => onRequest(bytes, connection));
      // The system closes the connections of a process that is killed, and the other side learns of it.
      socket.on('close', () => silenced.has(pair) || upstream.destroy());
      upstream.on('close', () => silenced.has(pair) || socket.destroy());
      if (silence) silencePair(pair, silence);
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
    fallSilent(which) {
      silence = which;
      for (const pair of pairs.splice(0)) silencePair(pair, which);
    },
    serveNew() {
      silence = undefined;
    },
    recover() {
      silence = undefined;
      for (const pair of silenced) discard(pair);
      silenced.clear();
    },
  };
}

function keepBack([client, upstream]: [Socket, Socket], silence: Silence): void {
  upstream.unpipe(client).pause();
  if (silence === 'both') client.unpipe(upstream).pause();
}

/** Reads the bytes, which is how a socket notices that the other end was closed, and forwards none. */
function discard([client, upstream]: [Socket, Socket]): void {
  client.unpipe(upstream).resume();
  upstream.unpipe(client).resume();
  if (client.destroyed) upstream.destroy();
  if (upstream.destroyed) client.destroy();
}
