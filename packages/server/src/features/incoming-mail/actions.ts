import { createHash } from 'node:crypto';
import type { Ctx, PublicCtx } from '../../core/context.ts';
import type { StreamAddresses } from '../../core/credentials.ts';
import { failForbidden, failUnknown } from '../../core/errors.ts';
import type { Sealing } from '../../core/sealing.ts';
import { runIdempotent } from '../idempotency-keys/index.ts';
import { findPostable, sendAsNotificationBot } from '../messages/index.ts';
import { findStreamById } from '../streams/index.ts';
import { findNotificationBot } from '../users/index.ts';
import { type IncomingEmail, toContent, toSlug, toTopic } from './rules.ts';

/** The email address of a stream, for users who can post there. Senders of emails need no permission. */
export async function getStreamEmailAddress(ctx: Ctx<StreamAddresses>, stream_id: number): Promise<{ email: string }> {
  const found = (await findPostable(ctx, stream_id)) ?? failUnknown(`Invalid stream id: ${stream_id}`);
  if (found.problem !== undefined) failForbidden(found.problem);
  return { email: addressOf(ctx, found.stream) };
}

const addressOf = (
  { server, realm }: Ctx<StreamAddresses>,
  stream: Parameters<StreamAddresses['mailTokenOf']>[1] & { name: string },
): string => `${toSlug(stream.name)}.${server.mailTokenOf(realm, stream)}@${realm.host}`;

/**
 * Posts an email to a stream, as the Notification Bot whatever sender it names. A repetition of an email within a day
 * is not posted. Returns false if there is no such stream.
 */
export async function postIncomingEmail(
  ctx: PublicCtx<Sealing>,
  stream_id: number,
  email: IncomingEmail,
): Promise<boolean> {
  const bot = { ...ctx, me: await findNotificationBot(ctx.db, ctx.realm.id) };
  if (!(await findStreamById(bot, stream_id))) return false;
  const notice = { stream_id, topic: toTopic(email.subject), content: toContent(email) };
  const post = () => sendAsNotificationBot(ctx, notice);
  if (email.message_id === '') await post();
  else await runIdempotent(bot, { key: keyOf(stream_id, email), fingerprints: ['letter'], sent: {} }, post);
  return true;
}

/** Other releases use the same prefix and fingerprint, so servers of two releases post an email once. */
const keyOf = (stream_id: number, { message_id }: IncomingEmail): string =>
  createHash('sha256').update(`letter:${stream_id}:${message_id}`).digest('hex');
