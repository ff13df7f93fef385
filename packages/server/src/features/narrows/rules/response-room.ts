import type { Schema } from '../../../core/contract.ts';

/** The maximum number of bytes of one UTF-16 unit in JSON. */
const UNIT = 6;
/** Units of all short strings of one item: names, addresses, topics, keys. */
const ITEM = 1000;

/**
 * The room for messages in a response. Measuring messages costs as much as serializing the response: so they are
 * measured only when they might not fit, and the JSON of the measurement is used for the response.
 */
export class ResponseRoom {
  readonly #bytes: number;
  readonly #unmeasured: Schema<'Message'>[] = [];
  readonly #json = new Map<number, Buffer>();
  #atMost = 0;
  #used = 0;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** Counts a message. Returns false from the first message on that makes the total too large. */
  take(message: Schema<'Message'>): boolean {
    this.#unmeasured.push(message);
    this.#atMost += bytesAtMost(message);
    if (this.#atMost <= this.#bytes) return true;
    for (const one of this.#unmeasured.splice(0)) {
      const json = Buffer.from(JSON.stringify(one));
      this.#json.set(one.id, json);
      this.#used += json.length + 1;
    }
    return this.#used <= this.#bytes;
  }

  /** The JSON of these counted messages; undefined where they were not measured. */
  textsOf(messages: readonly Schema<'Message'>[]): Buffer[] | undefined {
    const texts = messages.flatMap(({ id }) => this.#json.get(id) ?? []);
    return texts.length === messages.length && texts.length > 0 ? texts : undefined;
  }
}

/** An upper bound of the size of a message in a response, in bytes. */
function bytesAtMost(message: Schema<'Message'>): number {
  const { content, match_content = '', reactions, display_recipient, topic_links, edit_history = [] } = message;
  const recipients = typeof display_recipient === 'string' ? 0 : display_recipient.length;
  const items = 1 + reactions.length + recipients + topic_links.length + edit_history.length;
  const links = topic_links.reduce((sum, { url }) => sum + url.length, 0);
  const versions = edit_history.reduce((sum, edit) => sum + lengthOf(edit), 0);
  return UNIT * (items * ITEM + content.length + match_content.length + links + versions);
}

const lengthOf = ({ prev_content = '', prev_rendered_content = '' }: Schema<'MessageEdit'>): number =>
  prev_content.length + prev_rendered_content.length;
