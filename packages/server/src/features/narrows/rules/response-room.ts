/** The JSON of a message; in pieces if it may be long. */
export type MessageJson = string | Buffer[];

/** The maximum number of bytes of a UTF-16 unit. */
const UNIT = 3;

/**
 * The messages of a response, within its size. To count the bytes of a text takes as long as to copy it, so they are counted only if the
 * messages might not fit.
 */
export class ResponseRoom {
  readonly #bytes: number;
  readonly #items: { readonly id: number; readonly json: MessageJson }[] = [];
  #atMost = 0;
  #isMeasured = false;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** Adds a message if there is room for it, or if it is `required`. Returns whether it was added. */
  add(id: number, json: MessageJson, required: boolean): boolean {
    const before = this.#atMost;
    this.#atMost += 1 + (this.#isMeasured ? bytesOf(json) : bytesAtMost(json));
    if (this.#atMost > this.#bytes && !this.#isMeasured) {
      this.#isMeasured = true;
      this.#atMost = this.#items.reduce((sum, item) => sum + 1 + bytesOf(item.json), 1 + bytesOf(json));
    }
    if (this.#atMost > this.#bytes && !required) {
      this.#atMost = before;
      return false;
    }
    this.#items.push({ id, json });
    return true;
  }

  /** The JSON of the messages, in the order of their ids. */
  list(): MessageJson[] {
    return this.#items.sort((one, other) => one.id - other.id).map(({ json }) => json);
  }
}

const bytesOf = (json: MessageJson): number =>
  typeof json === 'string' ? Buffer.byteLength(json) : json.reduce((sum, { length }) => sum + length, 0);

const bytesAtMost = (json: MessageJson): number => (typeof json === 'string' ? UNIT * json.length : bytesOf(json));
