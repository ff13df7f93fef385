// The thread of the embedded database. It runs from dist/, in tests as well: Node 20 cannot load TypeScript into a thread.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { Cancellation } from './cancellation.ts';
import { EmbeddedEngine } from './engine.ts';
import type { ThreadOptions, ThreadRequest, ThreadResponse } from './messages.ts';

/** Bytes of a response after which they are sent. */
const PART = 1024 * 1024;

const port = parentPort as MessagePort;
const options = workerData as ThreadOptions;

/** Messages of PostgreSQL that are not sent yet. */
class Outbox {
  #chunks: Uint8Array<ArrayBuffer>[] = [];
  #size = 0;

  add(chunk: Uint8Array<ArrayBuffer>): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size >= PART) this.send(false);
  }

  send(isLast: boolean): void {
    const [first = new Uint8Array(0), ...others] = this.#chunks;
    const bytes = others.length === 0 ? first : new Uint8Array(Buffer.concat(this.#chunks));
    this.#chunks = [];
    this.#size = 0;
    respond({ kind: 'messages', bytes, isLast }, [bytes.buffer]);
  }
}

const outbox = new Outbox();
const engine = await EmbeddedEngine.open(options, new Cancellation(options.cancellation), fail);
respond({ kind: 'ready', interrupts: engine.interruptFlags });

let previous: Promise<void> = Promise.resolve();
port.on('message', (request: ThreadRequest) => {
  previous = previous.then(() => serve(request));
});

async function serve(request: ThreadRequest): Promise<void> {
  if (request.kind === 'messages') {
    await engine.run(request.bytes, (bytes) => outbox.add(bytes));
    outbox.send(true);
  } else if (request.kind === 'dump') {
    respond({ kind: 'dump', snapshot: await engine.dump() });
  } else {
    await engine.close();
    process.exit();
  }
}

function respond(response: ThreadResponse, transferred: ArrayBuffer[] = []): void {
  port.postMessage(response, transferred);
}

/** Messages that PostgreSQL sent before it ended are part of the response. */
function fail(error: unknown): never {
  outbox.send(true);
  respond({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
  process.exit(1);
}
