import { limits } from '../../core/limits.ts';
import { codePoints } from '../../text/names.ts';
import { renderLiteralMarkdown } from '../../text/quotes.ts';

/** Characters of a token that are its digest, five bits each; the stream's id follows. */
export const MAC_LENGTH = 24;
/** The local part of an address has at most 64 characters. */
const LONGEST_SLUG = 25;
const NO_SUBJECT = '(no subject)';
const NO_TEXT = '(The email has no plain text.)';
const CUT = '[The email is truncated: it is longer than a message can be.]';
/** Characters of a message that are left for what surrounds the text. */
const AROUND = 1500;
const LONGEST_NAMES = 300;

/** The parts of an email that a message is made from. */
export interface IncomingEmail {
  /** Its Message-ID, if it has one. */
  readonly message_id: string;
  /** The sender that it names. */
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  /** Names of its attachments. */
  readonly files: readonly string[];
}

/** A readable name of the stream in an address; it has no effect. */
export function toSlug(name: string): string {
  const plain = name.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '');
  const words = plain.match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, LONGEST_SLUG).replace(/-$/, '') || 'stream';
}

export function parseStreamId(token: string): number | undefined {
  const digits = token.slice(MAC_LENGTH);
  const id = Number.parseInt(digits, 36);
  return Number.isSafeInteger(id) && id.toString(36) === digits ? id : undefined;
}

/** The token and the host of an address, in lower case. */
export function parseAddress(address: string): { token: string; host: string } | undefined {
  const [, token, host] = /^(?:[^@]*\.)?([a-z0-9]+)@([^@]+)$/.exec(address.trim().toLowerCase()) ?? [];
  return token === undefined || host === undefined ? undefined : { token, host };
}

/** The topic of an email: a reply has the topic of the email it replies to. */
export function toTopic(subject: string): string {
  const plain = subject
    .replace(/[\p{Cc}\p{Cs}\p{Cn}\s]+/gu, ' ')
    .replace(/^\s*(?:(?:re|fwd?|aw|wg)\s*:\s*)+/i, '')
    .trim();
  return shortened(plain, limits.max_topic_length) || NO_SUBJECT;
}

/** The message of an email. It mentions no users, and links to nothing that only the bot can see. */
export function toContent({ from, text, files }: IncomingEmail): string {
  const clean = text
    .replace(/\r\n?/g, '\n')
    .replace(/[\0\p{Cs}]/gu, '\ufffd')
    .trim();
  const sender = renderLiteralMarkdown(shortened(oneLine(from), LONGEST_NAMES)) || 'an unknown sender';
  const names = renderLiteralMarkdown(shortened(oneLine(files.join(', ')), LONGEST_NAMES));
  const left = files.length === 0 ? [] : [`Omitted attachments: ${names}`];
  return [`Email from ${sender}:`, bodyOf(clean), ...left].join('\n\n');
}

function bodyOf(text: string): string {
  if (text === '') return NO_TEXT;
  const room = limits.max_message_length - AROUND;
  const whole = renderLiteralMarkdown(text);
  if (codePoints(whole) <= room) return whole;
  // A backslash before every character would double its length.
  return `${renderLiteralMarkdown(
    [...text]
      .slice(0, room / 2)
      .join('')
      .trimEnd(),
  )}\n\n${renderLiteralMarkdown(CUT)}`;
}

const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ').trim();

function shortened(text: string, longest: number): string {
  if (codePoints(text) <= longest) return text;
  return `${[...text]
    .slice(0, longest - 1)
    .join('')
    .trimEnd()}…`;
}
