// Senders that count what the server acknowledged, to be compared with what it stored.
import { EventEmitter, once } from 'node:events';
import { type Calls, ParleyError, TransportError } from '@parley/client';
import { apiOf, type Login, type Process } from '../parley.ts';

export interface Ledger {
  /** Ids that the server returned, each for a message that was sent once. */
  readonly acknowledged: number[];
  /** When each of them came, by `performance.now()`. */
  readonly times: number[];
  readonly changes: EventEmitter;
  /** Codes of the errors that the server returned. */
  readonly codes: Set<string>;
  /** Missing responses, and responses without the envelope. */
  readonly lost: string[];
}

export const createLedger = (): Ledger => ({
  acknowledged: [],
  times: [],
  changes: new EventEmitter(),
  codes: new Set(),
  lost: [],
});

export interface Sender {
  /** Sends messages until it is stopped; each until the server acknowledges it, under one `Idempotency-Key`. */
  readonly done: Promise<void>;
  stop(): void;
}

export const startSender = (server: Process, login: Login, name: string, ledger: Ledger): Sender =>
  startSenderThrough(apiOf(server, login), name, ledger);

export function startSenderThrough(api: Calls, name: string, ledger: Ledger): Sender {
  let running = true;
  const work = async () => {
    for (let n = 0; running; n++) {
      ledger.acknowledged.push(await sendUntilAcknowledged(api, `${name} ${n}`, ledger));
      ledger.times.push(performance.now());
      ledger.changes.emit('acknowledged');
    }
  };
  return {
    done: work(),
    stop() {
      running = false;
    },
  };
}

async function sendUntilAcknowledged(api: Calls, content: string, ledger: Ledger): Promise<number> {
  for (;;) {
    try {
      const message = { type: 'stream', to: 'kitchen', topic: 'soup', content } as const;
      return (await api.sendMessage(message, { idempotencyKey: content.replaceAll(' ', '-') })).id;
    } catch (error) {
      if (error instanceof ParleyError) ledger.codes.add(error.code);
      else if (error instanceof TransportError) ledger.lost.push(String(error.cause ?? error));
      else throw error;
      if (!(error instanceof ParleyError && error.status === 503)) throw error;
    }
  }
}

/** The ids of all messages in the stream, ascending. */
export async function storedIds(api: Calls): Promise<number[]> {
  const ids: number[] = [];
  for (let anchor: number | 'oldest' = 'oldest'; ; anchor = ids.at(-1) ?? 0) {
    const page = await api.getMessages({
      anchor,
      include_anchor: anchor === 'oldest',
      num_before: 0,
      num_after: 1000,
      narrow: [
        { operator: 'stream', operand: 'kitchen' },
        { operator: 'topic', operand: 'soup' },
      ],
    });
    ids.push(...page.messages.map(({ id }) => id));
    if (page.found_newest) return ids;
  }
}

export const ascending = (ids: readonly number[]): number[] => [...ids].sort((a, b) => a - b);

/** Waits until the ledger has that many acknowledged messages. */
export async function acknowledgedReach(ledger: Ledger, count: number): Promise<void> {
  while (ledger.acknowledged.length < count) await once(ledger.changes, 'acknowledged');
}
