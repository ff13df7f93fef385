import { failConflict } from '../core/errors.ts';
import { requireValue } from '../core/require-value.ts';
import { insertAudit } from '../features/realm/index.ts';
import { deleteExpiredMessages, type ExpiredMessages, listExpired } from '../features/retention/index.ts';
import { columns } from './columns.ts';
import { requireRealm, runInRealm } from './run-in-realm.ts';
import type { CommandHandler, CommandResult } from './types.ts';

/** The expired messages of one conversation. */
interface Row {
  days: number;
  messages: number;
  /** When the oldest of them was sent. */
  oldest: string;
}

interface Report {
  dry_run: boolean;
  messages: number;
  streams: (Row & { stream_id: number; name: string })[];
  /** All direct conversations together; null if none of their messages expired. */
  direct: Row | null;
}

const retention: CommandHandler<{ subdomain: string; dry_run: boolean }> = async ({ app }, { subdomain, dry_run }) => {
  const realm = await requireRealm(app, subdomain);
  if (realm.deactivated) failConflict('The organization is deactivated: nothing of it is removed.');
  if (dry_run) return toCommandResult(reportOn(await listExpired(app, realm), dry_run));
  const removed: ExpiredMessages[] = [];
  await deleteExpiredMessages(app, realm, (some) => void removed.push(some));
  const report = reportOn(removed, dry_run);
  const { messages, streams, direct } = report;
  if (messages > 0)
    await runInRealm(app, subdomain, (ctx) =>
      insertAudit(ctx, 'messages removed by age', { messages, streams, direct }),
    );
  return toCommandResult(report);
};

/** Adds up the expired messages by stream. */
function reportOn(expired: readonly ExpiredMessages[], dry_run: boolean): Report {
  const byStream = new Map<number | null, ExpiredMessages>();
  for (const one of expired) {
    const key = one.stream === null ? null : one.conversation_id;
    const sum = byStream.get(key);
    const messages = one.messages + (sum?.messages ?? 0);
    byStream.set(key, { ...one, messages, oldest: Math.min(one.oldest, sum?.oldest ?? one.oldest) });
  }
  const direct = byStream.get(null);
  byStream.delete(null);
  return {
    dry_run,
    messages: expired.reduce((sum, { messages }) => sum + messages, 0),
    streams: [...byStream].map(([id, one]) => ({ stream_id: requireValue(id), name: one.stream ?? '', ...rowOf(one) })),
    direct: direct ? rowOf(direct) : null,
  };
}

const rowOf = ({ days, messages, oldest }: ExpiredMessages): Row => ({
  ...{ days, messages },
  oldest: new Date(oldest).toISOString(),
});

function toCommandResult(report: Report): CommandResult {
  const { dry_run, messages, streams, direct } = report;
  const rows = [...streams, ...(direct ? [{ name: '(direct messages)', ...direct }] : [])];
  const table = rows.map((row) => [row.name, row.days, row.messages, row.oldest]);
  return {
    json: report,
    lines: [
      ...(rows.length > 0 ? columns([['stream', 'retention days', 'messages', 'oldest'], ...table]) : []),
      `${messages} messages ${dry_run ? 'would be deleted; none were deleted' : 'were deleted'}.`,
    ],
  };
}

export const retentionWorks = { retention };
