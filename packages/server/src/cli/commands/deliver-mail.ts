// `parley deliver-mail`: the command with which a mail server delivers an email.
import { type Command, InvalidArgumentError } from 'commander';
import type { Address } from 'postal-mime';
import { bounds, limits } from '../../core/limits.ts';
import type { IncomingEmail } from '../../features/incoming-mail/index.ts';
import { addCommand, type TaskRunner } from './command-options.ts';

/** The exit codes that mail servers expect (sysexits.h). */
export const EXIT = { taken: 0, unreadable: 65, no_such_address: 67, later: 75 } as const;

/** Parses emails in this process, so that one made to be slow does not block a server. */
async function readEmail(bytes: Buffer): Promise<IncomingEmail | null> {
  if (bytes.length > bounds.incoming_email) return null;
  const { default: PostalMime } = await import('postal-mime');
  const mail = await PostalMime.parse(bytes).catch(() => undefined);
  if (!mail || (mail.from === undefined && mail.subject === undefined && mail.messageId === undefined)) return null;
  const { messageId = '', from, subject = '', text = '', attachments } = mail;
  const files = attachments.map(({ filename }) => filename ?? 'a file without a name');
  // More than fits into a message, so that truncation is detectable.
  const enough = text.slice(0, 2 * limits.max_message_length);
  return { message_id: messageId, from: nameOf(from), subject, text: enough, files };
}

const nameOf = (from: Address | undefined): string => {
  if (!from?.address) return from?.name ?? '';
  return from.name ? `${from.name} (${from.address})` : from.address;
};

/** The whole input, or a little more than the maximum size of an email. */
async function input(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    size += (chunk as Buffer).length;
    chunks.push(chunk as Buffer);
    if (size > bounds.incoming_email) break;
  }
  return Buffer.concat(chunks);
}

/** Failures of the server may be temporary, so the mail server has to keep the email. */
const codeFor = (code: number): number =>
  [EXIT.taken, EXIT.unreadable, EXIT.no_such_address].some((known) => known === code) ? code : EXIT.later;

export function declareDeliverMail(program: Command, perform: TaskRunner): void {
  addCommand(
    program,
    'deliver-mail',
    'read an email from the standard input and post it to the stream with this address',
  )
    .argument('<address>', 'recipient address of the email')
    .action(async (address: string, options: { json?: boolean }) => {
      if (process.stdin.isTTY) throw new InvalidArgumentError('The command reads the email from the standard input.');
      const email = await readEmail(await input());
      await perform({ name: 'deliver-mail', input: { address, email }, json: options.json === true }, codeFor);
    });
}
