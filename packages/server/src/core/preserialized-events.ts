// Events of responses as JSON, serialized once for all clients that get the same event.
import type { Schema } from './contract.ts';
import { PreserializedList, toListPieces } from './preserialized-json.ts';

type DeliveredEvent = Schema<'Delivered'>;

/** An event with its client id. */
export class PreserializedEvent {
  readonly value: DeliveredEvent;
  /** Fields of responses in which the event was found valid. */
  readonly validIn = new Set<string>();
  #json: Buffer | undefined;
  #frame: Buffer | undefined;

  constructor(value: DeliveredEvent) {
    this.value = value;
  }

  get id(): number {
    return this.value.id;
  }

  get json(): Buffer {
    this.#json ??= Buffer.from(JSON.stringify(this.value));
    return this.#json;
  }

  /** The event in a stream of server-sent events. JSON contains no line breaks. */
  get frame(): Buffer {
    this.#frame ??= Buffer.from(`id: ${this.id}\ndata: ${this.json}\n\n`);
    return this.#frame;
  }
}

/** The events of one response. */
export class PreserializedEvents extends PreserializedList<DeliveredEvent> {
  readonly events: readonly PreserializedEvent[];

  constructor(events: readonly PreserializedEvent[]) {
    super();
    this.events = events;
  }

  get pieces(): Buffer[] {
    return toListPieces(this.events.map(({ json }) => [json]));
  }

  itemsToValidate(field: string): readonly DeliveredEvent[] {
    return this.events.filter(({ validIn }) => !validIn.has(field)).map(({ value }) => value);
  }

  noteValidated(field: string): void {
    for (const { validIn } of this.events) validIn.add(field);
  }
}
