import type { Schema } from '../../../core/contract.ts';

type Message = Schema<'Message'>;

/** The maximum number of bytes of one UTF-16 unit in JSON. */
const UNIT = 6;
/** Units of all short strings of one item: names, addresses, topics, keys. */
const ITEM = 1000;

/**
 * The messages of a response, within its size. Measuring messages costs as much as serializing them: so they are
 * serialized only when they might not fit, and only their JSON is kept then.
 */
export class ResponseRoom {
  readonly #bytes: number;
  readonly #serialize: (message: Message) => Buffer[];
  readonly #yieldIfDue: () => Promise<void> | undefined;
  #unmeasured: Message[] = [];
  readonly #json: { readonly id: number; readonly json: Buffer[] }[] = [];
  #atMost = 0;
  #used = 0;

  /** `yieldIfDue` is called after each of the messages that are serialized together. */
  constructor(bytes: number, serialize: (message: Message) => Buffer[], yieldIfDue: () => Promise<void> | undefined) {
    this.#bytes = bytes;
    this.#serialize = serialize;
    this.#yieldIfDue = yieldIfDue;
  }

  /** Adds a message if there is room for it, or if it is `required`. Returns whether it was added; at once for most pages. */
  add(message: Message, required: boolean): boolean | Promise<boolean> {
    this.#atMost += bytesAtMost(message);
    if (this.#atMost > this.#bytes) return this.#measure(message, required);
    this.#unmeasured.push(message);
    return true;
  }

  async #measure(message: Message, required: boolean): Promise<boolean> {
    for (const one of this.#unmeasured) {
      this.#addSerialized(one, true);
      await this.#yieldIfDue();
    }
    this.#unmeasured = [];
    return this.#addSerialized(message, required);
  }

  /** The messages, in the order of their ids: as values, or the pieces of the JSON of each. */
  list(): { readonly messages: Message[] } | { readonly json: Buffer[][] } {
    if (this.#json.length === 0) return { messages: this.#unmeasured.sort(byId) };
    return { json: this.#json.sort(byId).map(({ json }) => json) };
  }

  #addSerialized(message: Message, required: boolean): boolean {
    const json = this.#serialize(message);
    this.#used += json.reduce((sum, { length }) => sum + length, 1);
    if (this.#used > this.#bytes && !required) return false;
    this.#json.push({ id: message.id, json });
    return true;
  }
}

const byId = (one: { readonly id: number }, other: { readonly id: number }) => one.id - other.id;

/** An upper bound of the size of a message in a response, in bytes. */
function bytesAtMost(message: Message): number {
  const { content, match_content = '', reactions, display_recipient, topic_links, edit_history = [] } = message;
  const recipients = typeof display_recipient === 'string' ? 0 : display_recipient.length;
  const items = 1 + reactions.length + recipients + topic_links.length + edit_history.length;
  const links = topic_links.reduce((sum, { url }) => sum + url.length, 0);
  const versions = edit_history.reduce((sum, edit) => sum + lengthOf(edit), 0);
  return UNIT * (items * ITEM + content.length + match_content.length + links + versions);
}

const lengthOf = ({ prev_content = '', prev_rendered_content = '' }: Schema<'MessageEdit'>): number =>
  prev_content.length + prev_rendered_content.length;
