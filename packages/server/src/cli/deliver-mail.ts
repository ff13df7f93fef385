// `parley deliver-mail`: how a mail server hands a letter over.
import { type Command, InvalidArgumentError } from 'commander';
import type { Address } from 'postal-mime';
import type { App } from '../app.ts';
import type { Realm } from '../core/context.ts';
import { bounds, limits } from '../core/limits.ts';
import { transact } from '../core/transaction.ts';
import { type Letter, partsOf, postLetter, streamOfToken } from '../features/incoming-mail/index.ts';
import { findRealmBySubdomain, presentRealm, subdomainOf } from '../features/realm/index.ts';
import { operator } from './act.ts';
import type { Answer, Work } from './types.ts';
import { leaf, type Perform } from './words.ts';

/** What mail servers expect of a command that takes letters (sysexits.h). */
const EXIT = { taken: 0, unreadable: 65, no_such_address: 67, later: 75 } as const;

interface Input {
  readonly address: string;
  /** Null: it is no letter, or too large for one. */
  readonly letter: Letter | null;
}

const deliverMail: Work<Input> = async ({ app }, { address, letter }) => {
  if (!letter) return ended(EXIT.unreadable, 'This is no letter, or it is larger than 25 MiB.');
  const place = await findPlace(app, address);
  if (!place) return ended(EXIT.no_such_address, 'There is no such address.');
  const posted = await transact(app, { ...operator, realm: place.realm, client: 'ParleyMail' }, (ctx) =>
    postLetter(ctx, place.stream_id, letter, app.unseal),
  );
  return posted ? ended(EXIT.taken, 'Posted.') : ended(EXIT.no_such_address, 'There is no such address.');
};

const ended = (code: number, line: string): Answer => ({ json: { code }, lines: [line], code });

async function findPlace(app: App, address: string): Promise<{ realm: Realm; stream_id: number } | undefined> {
  const parts = partsOf(address);
  const subdomain = parts && subdomainOf(parts.host, app.place.base_domain);
  const row = subdomain === undefined ? undefined : await findRealmBySubdomain(app.database.db, subdomain);
  if (!parts || !row) return undefined;
  const realm = presentRealm(app.place, row);
  const stream_id = streamOfToken(app.secret, realm.id, parts.token);
  return realm.deactivated || stream_id === undefined ? undefined : { realm, stream_id };
}

/** Takes letters apart here, so that one made to be slow holds up no server. */
async function letterOf(bytes: Buffer): Promise<Letter | null> {
  if (bytes.length > bounds.letter) return null;
  const { default: PostalMime } = await import('postal-mime');
  const mail = await PostalMime.parse(bytes).catch(() => undefined);
  if (!mail || (mail.from === undefined && mail.subject === undefined && mail.messageId === undefined)) return null;
  const { messageId = '', from, subject = '', text = '', attachments } = mail;
  const files = attachments.map(({ filename }) => filename ?? 'a file without a name');
  // More than a message can hold, so that it is known to have been cut.
  const enough = text.slice(0, 2 * limits.max_message_length);
  return { message_id: messageId, from: nameOf(from), subject, text: enough, files };
}

const nameOf = (from: Address | undefined): string => {
  if (!from?.address) return from?.name ?? '';
  return from.name ? `${from.name} (${from.address})` : from.address;
};

/** All of the input, or a little more than a letter may have. */
async function input(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    size += (chunk as Buffer).length;
    chunks.push(chunk as Buffer);
    if (size > bounds.letter) break;
  }
  return Buffer.concat(chunks);
}

export const deliverMailWorks = { 'deliver-mail': deliverMail };

/** Whatever goes wrong on our side may go well later, so the mail server is to keep the letter. */
const codeFor = (code: number): number =>
  [EXIT.taken, EXIT.unreadable, EXIT.no_such_address].some((known) => known === code) ? code : EXIT.later;

export function declareDeliverMail(program: Command, perform: Perform): void {
  leaf(program, 'deliver-mail', 'post a letter from the standard input to the stream with this address')
    .argument('<address>', 'to whom the mail server got it')
    .action(async (address: string, options: { json?: boolean }) => {
      if (process.stdin.isTTY) throw new InvalidArgumentError('The letter comes on the standard input.');
      const letter = await letterOf(await input());
      await perform({ name: 'deliver-mail', input: { address, letter }, json: options.json === true }, codeFor);
    });
}
