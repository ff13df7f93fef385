import type { Params } from '../../core/contract.ts';
import { bounds } from '../../core/limits.ts';
import type { ScheduledMessageRow } from './queries.ts';

export type Type = ScheduledMessageRow['type'];
export type To = Params<'scheduleMessage'>['to'];
type Changes = Omit<Params<'updateScheduledMessage'>, 'scheduled_message_id'>;

/** `private` is an old name of `direct`: accepted, and never returned. */
export const getType = (type: Params<'scheduleMessage'>['type']): Type => (type === 'stream' ? 'stream' : 'direct');

/** The last second of the year 9999: calendars do not show later times. */
const LAST = 253_402_300_799;

/** The problem of the delivery time, if there is one. */
export function timeProblem(timestamp: number, now: Date): string | undefined {
  if (timestamp * 1000 <= now.getTime())
    return 'scheduled_delivery_timestamp: the time to send a message at must be in the future.';
  return timestamp > LAST ? 'scheduled_delivery_timestamp: the time is after the year 9999.' : undefined;
}

/** The problem of the destination, if there is one: it must be one stream, or a list of users. */
export function toProblem(type: Type, to: To): string | undefined {
  if (type === 'stream')
    return typeof to === 'number' ? undefined : 'to: a stream message goes to the id of one stream.';
  return Array.isArray(to) ? undefined : 'to: a direct message goes to a list of user ids.';
}

export function missingTopicProblem(type: Type, topic: string | null | undefined): string | undefined {
  return type === 'stream' && typeof topic !== 'string' ? 'topic: a stream message needs a topic.' : undefined;
}

/**
 * The problem of a change of a scheduled message, if there is one, in the order of
 * docs/behaviour/scheduled-messages.md#edit-a-scheduled-message.
 */
export function changeProblem(row: ScheduledMessageRow, changes: Changes, now: Date): string | undefined {
  const { to, scheduled_delivery_timestamp: time } = changes;
  if (Object.values(changes).every((value) => value === undefined)) return 'There is nothing to change.';
  const type = changes.type === undefined ? row.type : getType(changes.type);
  if (type !== row.type && to === undefined) return 'to: another type of message needs its recipients.';
  if (time === undefined && row.failure_message !== null)
    return 'scheduled_delivery_timestamp: a message that could not be sent needs a new time.';
  return (
    missingTopicProblem(type, changes.topic ?? row.topic) ??
    (time === undefined ? undefined : timeProblem(time, now)) ??
    (to === undefined ? undefined : toProblem(type, to))
  );
}

export const alreadySentProblem = (id: number): string => `The scheduled message ${id} has been sent already.`;

export const isTooLate = ({ deliver_at }: Pick<ScheduledMessageRow, 'deliver_at'>, now: Date): boolean =>
  now.getTime() - deliver_at.getTime() > bounds.scheduled_lateness;
