import type { PublicCtx } from '../../core/context.ts';
import type { Logging } from '../../core/log.ts';
import type { Sealing } from '../../core/sealing.ts';
import type { Engine } from '../../core/transaction.ts';
import { type Email, EmailRejected, type Mailer } from '../../mail/mailer.ts';
import { deleteQueuedEmail, insertQueuedEmail, listDueEmails, postponeEmail, type QueuedEmailRow } from './queries.ts';
import { getNextAttempt } from './rules.ts';

/** The number of emails sent in one run of the job. */
const AT_ONCE = 50;

interface Post extends Pick<Engine, 'database' | 'clock'>, Logging {
  readonly mailer: Mailer;
  readonly server: Sealing;
}

/** Queues an email. It is sent after the transaction has committed, and no request waits for that. */
export async function queueEmail(
  ctx: PublicCtx<Sealing>,
  { to, subject, text }: Pick<Email, 'to' | 'subject' | 'text'>,
): Promise<void> {
  const email = { from_name: ctx.realm.settings.name, to, subject, text };
  const sealed = ctx.server.seal('email', ctx.realm, JSON.stringify(email));
  await insertQueuedEmail(ctx.db, { realm_id: ctx.realm.id, sealed, created_at: ctx.now, due_at: ctx.now });
}

/** Sends the emails that are due. An email that cannot be sent now is retried, at growing intervals, for a day. */
export async function sendQueuedEmails(post: Post): Promise<void> {
  for (const row of await listDueEmails(post.database.db, post.clock(), AT_ONCE)) {
    const problem = await problemOf(post, row);
    if (problem instanceof EmailRejected) await giveUp(post, row, problem);
    else if (problem !== undefined) return postpone(post, row, problem);
    else await deleteQueuedEmail(post.database.db, row);
  }
}

/** The reason why the email was not sent, if there is one. */
async function problemOf(
  { mailer, server }: Post,
  { sealed, realm_id, id, key_salt }: QueuedEmailRow,
): Promise<unknown> {
  try {
    const email = JSON.parse(server.unseal('email', { id: realm_id, key_salt }, sealed)) as Omit<Email, 'id'>;
    // The prefix stays: servers of two releases that retry the same email send the same Message-ID.
    await mailer.send({ ...email, id: `letter-${realm_id}-${id}` });
    return undefined;
  } catch (error) {
    return error ?? new Error('The mailer failed without an error.');
  }
}

async function giveUp({ database, log }: Post, row: QueuedEmailRow, problem: unknown): Promise<void> {
  log.error({ email_id: row.id, realm: row.realm_id, err: problem }, 'an email could not be sent and is given up');
  await deleteQueuedEmail(database.db, row);
}

/** Usually the mail server is unavailable: the remaining emails wait for the next run. */
async function postpone(post: Post, row: QueuedEmailRow, problem: unknown): Promise<void> {
  const next = getNextAttempt(row.attempts + 1, row.created_at, post.clock());
  if (!next) return giveUp(post, row, problem);
  post.log.warn(
    { email_id: row.id, realm: row.realm_id, attempts: row.attempts + 1, next, err: problem },
    'emails cannot be sent: check PARLEY_MAIL with parley doctor; the server stores them and retries',
  );
  await postponeEmail(post.database.db, row, next);
}
