import type { Schema } from './contract.ts';
import { PreserializedList, toListPieces } from './preserialized-json.ts';
import type { serializedFields } from './serialized-fields.ts';

interface SerializedItem extends Record<keyof typeof serializedFields, object> {
  readonly getMessages: Schema<'Message'>;
}

export interface ItemSerialization {
  /** The JSON of an item of this operation's list, in pieces. Throws an InvalidResponseError where an invalid response does. */
  serializeItem<Id extends keyof SerializedItem>(operation: Id, item: SerializedItem[Id]): Buffer[];
}

/** A list of items that were validated and serialized one by one. */
export class SerializedList<Item extends object> extends PreserializedList<Item> {
  readonly #texts: readonly (readonly Buffer[])[];

  /** `texts` contains the pieces of the JSON of each item. */
  constructor(texts: readonly (readonly Buffer[])[]) {
    super();
    this.#texts = texts;
  }

  get pieces(): Buffer[] {
    return toListPieces(this.#texts);
  }

  itemsToValidate(): readonly Item[] {
    return [];
  }

  noteValidated(): void {}
}
