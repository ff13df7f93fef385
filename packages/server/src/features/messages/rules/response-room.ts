import type { Schema } from '../../../core/contract.ts';
import { bytesOf } from '../../../core/response-size.ts';

/** JSON writes one UTF-16 unit as at most so many bytes. */
const UNIT = 6;
/** Units of everything short in one item: names, addresses, topics, keys. */
const ITEM = 1000;

/**
 * The room for messages in a response. To find out how large messages are costs as much as to write the response, so that is
 * done only when they might not fit.
 */
export class ResponseRoom {
  readonly #bytes: number;
  readonly #unmeasured: Schema<'Message'>[] = [];
  #atMost = 0;
  #used = 0;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** Counts a message in. False if the messages are too large together from this one on. */
  take(message: Schema<'Message'>): boolean {
    this.#unmeasured.push(message);
    this.#atMost += bytesAtMost(message);
    if (this.#atMost <= this.#bytes) return true;
    for (const one of this.#unmeasured.splice(0)) this.#used += bytesOf(one) + 1;
    return this.#used <= this.#bytes;
  }
}

/** Bytes that a message does not exceed in a response. */
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
