import type { Ctx, User } from '../../../core/context.ts';
import { sendAsNotificationBot, sendDirectAsNotificationBot } from '../../messages/index.ts';
import { findStreamById, type Stream } from '../../streams/index.ts';
import { renderAnnouncement, renderInvitation } from '../notices.ts';
import { groupByKey } from '../present.ts';
import { sendFirstMessages } from './first-messages.ts';
import type { Joined } from './join.ts';

interface NoticeOccasion {
  readonly created: readonly Stream[];
  readonly joined: readonly Joined[];
  readonly announce: boolean;
}

/** Sends the Notification Bot's messages about new streams and subscribers. Returns the first message of each new stream. */
export async function sendNotices(
  ctx: Ctx,
  { created, joined, announce }: NoticeOccasion,
): Promise<ReadonlyMap<number, number>> {
  const firsts = await sendFirstMessages(ctx, created);
  if (announce) await sendAnnouncement(ctx, created);
  await sendInvitations(ctx, joined, new Set(firsts.keys()));
  return firsts;
}

async function sendAnnouncement(ctx: Ctx, created: readonly Stream[]): Promise<void> {
  const stream_id = ctx.realm.settings.notifications_stream_id;
  if (created.length === 0 || stream_id === -1 || !(await findStreamById(ctx, stream_id))) return;
  await sendAsNotificationBot(ctx, {
    stream_id,
    topic: 'new streams',
    content: renderAnnouncement(ctx.me, created),
    read_for: [ctx.me.id],
  });
}

/** Notifies users whom another user subscribed; streams that were created for them have a message of their own. */
async function sendInvitations(ctx: Ctx, joined: readonly Joined[], created: ReadonlySet<number>): Promise<void> {
  const others = joined.filter(({ stream, user }) => !created.has(stream.id) && isOther(ctx.me, user));
  const notices = [...groupByKey(others, ({ user }) => user.id).values()].flatMap((pairs) => {
    const [first] = pairs;
    return first
      ? [
          {
            to: first.user,
            content: renderInvitation(
              ctx.me,
              pairs.map(({ stream }) => stream),
            ),
          },
        ]
      : [];
  });
  const streams = [...new Map(others.map(({ stream }) => [stream.id, stream])).values()];
  if (notices.length > 0) await sendDirectAsNotificationBot(ctx, notices, { users: [ctx.me], streams });
}

const isOther = (me: User, user: User): boolean => user.id !== me.id && user.bot_type === null;
