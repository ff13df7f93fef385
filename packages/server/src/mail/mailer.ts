// Sends emails: to a mail server, into a folder, or into the log (PARLEY_MAIL).
import { rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Transporter } from 'nodemailer';
import type { Mail } from '../config/index.ts';
import { lazy } from '../core/lazy.ts';
import type { Logger } from '../core/log.ts';

const require = createRequire(import.meta.url);
const nodemailer = lazy(() => require('nodemailer') as typeof import('nodemailer'));

export interface Email {
  /** The Message-ID. It is the same for every attempt, so mail programs show the email once. */
  readonly id: string;
  readonly from_name: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface Mailer {
  /** Sends an email. Fails with `EmailRejected` when a retry is of no use. */
  send(email: Email): Promise<void>;
  close(): void;
}

/** The mail server rejects this email permanently. */
export class EmailRejected extends Error {
  override name = 'EmailRejected';
}

/** Milliseconds within which a mail server must respond to each step. */
const SMTP_TIMEOUT_MS = 20_000;

export function createMailer(mail: Mail, log: Logger, base_domain: string): Mailer {
  const sender = `noreply@${base_domain}`;
  switch (mail.to) {
    case 'smtp':
      return smtp(mail.url, sender);
    case 'dir':
      return folder(mail.path, sender);
    case 'log':
      return {
        send: async ({ to, subject, text }) =>
          log.warn({ to, subject, text }, 'an email is logged and not sent: set PARLEY_MAIL to send emails'),
        close: () => {},
      };
  }
}

/** The same, reporting the result of each attempt. */
export function withMetrics(mailer: Mailer, count: (outcome: 'sent' | 'failed') => void): Mailer {
  return {
    async send(email) {
      try {
        await mailer.send(email);
      } catch (error) {
        count('failed');
        throw error;
      }
      count('sent');
    },
    close: () => mailer.close(),
  };
}

const messageOf = ({ id, from_name, to, subject, text }: Email, address: string) => ({
  messageId: `<${id}@${address.slice(address.lastIndexOf('@') + 1)}>`,
  from: { name: from_name, address },
  to: { name: '', address: to },
  subject,
  text,
  headers: { 'Auto-Submitted': 'auto-generated' },
});

function smtp(url: string, sender: string): Mailer {
  const at = new URL(url);
  const address = at.searchParams.get('from') ?? sender;
  at.searchParams.delete('from');
  const times = {
    connectionTimeout: SMTP_TIMEOUT_MS,
    greetingTimeout: SMTP_TIMEOUT_MS,
    socketTimeout: SMTP_TIMEOUT_MS,
  };
  const options = { url: at.href, ...times, disableFileAccess: true, disableUrlAccess: true };
  let made: Transporter | undefined;
  function transport(): Transporter {
    made ??= nodemailer().createTransport(options);
    return made;
  }
  return {
    async send(email) {
      try {
        await transport().sendMail(messageOf(email, address));
      } catch (error) {
        throw isFinal(error) ? new EmailRejected('The mail server rejected an email.', { cause: error }) : error;
      }
    },
    close: () => made?.close(),
  };
}

/** Whether the server rejected this email permanently: failures of the connection or the login may be temporary. */
function isFinal(error: unknown): boolean {
  const { code, responseCode = 0 } = error as { code?: string; responseCode?: number };
  return (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode >= 500;
}

function folder(path: string, sender: string): Mailer {
  return {
    async send(email) {
      const transport = nodemailer().createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
      const { message } = await transport.sendMail(messageOf(email, sender));
      const file = join(path, `${email.id}.eml`);
      await writeFile(`${file}.new`, message as Buffer, { mode: 0o600 });
      await rename(`${file}.new`, file);
    },
    close: () => {},
  };
}
