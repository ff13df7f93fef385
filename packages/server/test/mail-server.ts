// A mail server that receives what the server sends: a real SMTP conversation, kept in memory.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface ReceivedEmail {
  readonly to: string[];
  readonly subject: string;
  readonly text: string;
  readonly headers: string;
}

/** The responses to the next emails instead of accepting them. */
type Trouble = { responseCode: number };

export async function openPostOffice(port = 0) {
  const received: ReceivedEmail[] = [];
  let trouble: Trouble | undefined;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onRcptTo: (_address, _session, done) =>
      done(trouble ? Object.assign(new Error('The mail server rejects the email.'), trouble) : undefined),
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        received.push({ to, ...parsed(Buffer.concat(chunks).toString('utf8')) });
        done();
      });
    },
  });
  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
  const at = (server.server.address() as AddressInfo).port;
  return {
    port: at,
    url: `smtp://127.0.0.1:${at}`,
    received,
    refuse: (next: Trouble | undefined) => {
      trouble = next;
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

export type PostOffice = Awaited<ReturnType<typeof openPostOffice>>;

/** An email of one plain part. */
export function parsed(email: string): Omit<ReceivedEmail, 'to'> {
  const [head = '', ...body] = email.split(/\r?\n\r?\n/);
  const headers = head.replaceAll(/\r?\n[ \t]+/g, ' ');
  const text = body.join('\n\n');
  const encoding = /^content-transfer-encoding: (.*)$/im.exec(headers)?.[1]?.trim();
  return {
    headers,
    subject: /^subject: (.*)$/im.exec(headers)?.[1] ?? '',
    text: encoding === 'quoted-printable' ? fromQuotedPrintable(text) : text,
  };
}

function fromQuotedPrintable(text: string): string {
  const joined = text.replaceAll(/=\r?\n/g, '');
  const bytes = joined.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
