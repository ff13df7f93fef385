import type { Schema } from './contract.ts';
import { PreserializedList, toListPieces } from './preserialized-json.ts';
import type { serializedFields } from './serialized-fields.ts';

interface SerializedItem extends Record<keyof typeof serializedFields, object> {
  readonly getMessages: Schema<'Message'>;
}

export interface ItemSerialization {
  /** The JSON of an item of this operation's list, in pieces. Throws an InvalidResponseError where an invalid response does. */
  serializeItem<Id extends keyof SerializedItem>(operation: Id, item: SerializedItem[Id]): Buffer[];
  /** The same JSON as one string, of an item whose texts are short. */
  stringifyItem<Id extends keyof SerializedItem>(operation: Id, item: SerializedItem[Id]): string;
}

/** A list of items that were validated and serialized one by one. */
export class SerializedList<Item extends object> extends PreserializedList<Item> {
  readonly #items: readonly (string | readonly Buffer[])[];

  /** The JSON of each item, as a string or in pieces. */
  constructor(items: readonly (string | readonly Buffer[])[]) {
    super();
    this.#items = items;
  }

  get pieces(): Buffer[] {
    return toListPieces(joinStrings(this.#items));
  }

  itemsToValidate(): readonly Item[] {
    return [];
  }

  noteValidated(): void {}
}

/** Characters of the strings that are encoded together: to encode each takes longer, and so does a text of some MiB. */
const JOINED = 32 * 1024;

/** Adjacent strings become one buffer, with commas between them. */
function joinStrings(items: readonly (string | readonly Buffer[])[]): (readonly Buffer[])[] {
  const joined: (readonly Buffer[])[] = [];
  let text = '';
  const close = () => {
    if (text !== '') joined.push([Buffer.from(text)]);
    text = '';
  };
  for (const item of items) {
    if (typeof item === 'string') {
      text += text === '' ? item : `,${item}`;
      if (text.length > JOINED) close();
    } else {
      close();
      joined.push(item);
    }
  }
  close();
  return joined;
}
