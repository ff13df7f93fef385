import { getOutsideAudience } from '../../access/rules.ts';
import type { Event, Schema } from '../../core/contract.ts';
import type { Audience } from '../../core/event-log/audience.ts';
import type { Stream } from './queries/list.ts';

export function presentStream(stream: Stream, weekly_traffic: number | null): Schema<'Stream'> {
  return {
    stream_id: stream.id,
    name: stream.name,
    description: stream.description,
    rendered_description: stream.rendered_description,
    date_created: Math.floor(stream.created_at.getTime() / 1000),
    first_message_id: stream.first_message_id,
    invite_only: stream.invite_only,
    is_web_public: stream.is_web_public,
    is_default: stream.is_default,
    history_public_to_subscribers: stream.history_public_to_subscribers,
    is_announcement_only: stream.stream_post_policy === 2,
    stream_post_policy: stream.stream_post_policy as Schema<'Stream'>['stream_post_policy'],
    message_retention_days: stream.message_retention_days,
    can_remove_subscribers_group: stream.can_remove_subscribers_group,
    stream_weekly_traffic: weekly_traffic,
  };
}

/**
 * The users who can see a stream (docs/behaviour/streams.md#who-can-see-a-stream), and so receive its changes. The
 * `received` of subscribers includes the next number of the conversation; users who subscribe later start after a
 * number that subscribing takes.
 */
export function getStreamAudience(stream: Pick<Stream, 'id' | 'last_seq' | 'invite_only' | 'is_web_public'>): Audience {
  const outside = getOutsideAudience(stream);
  return outside.everyone ? outside : { ...outside, conversation: { id: stream.id, seq: stream.last_seq + 1 } };
}

type Changed = Omit<Extract<Event, { type: 'stream'; op: 'update' }>, 'type' | 'op'>;

/** The changes of a stream as events, one for each property (docs/behaviour/streams.md#events-of-streams). */
export function presentChanges(before: Stream, after: Stream): Changed[] {
  const is = (...names: (keyof Stream)[]) => names.some((name) => before[name] !== after[name]);
  const of = (property: Changed['property'], value: Changed['value'], more: Partial<Changed> = {}): Changed => ({
    stream_id: after.id,
    name: property === 'name' ? before.name : after.name,
    property,
    value,
    ...more,
  });
  const { rendered_description, history_public_to_subscribers, is_web_public, stream_post_policy } = after;
  return [
    ...(is('name') ? [of('name', after.name)] : []),
    ...(is('description') ? [of('description', after.description, { rendered_description })] : []),
    ...(is('invite_only', 'is_web_public', 'history_public_to_subscribers')
      ? [of('invite_only', after.invite_only, { history_public_to_subscribers, is_web_public })]
      : []),
    ...(is('stream_post_policy')
      ? [of('stream_post_policy', stream_post_policy), of('is_announcement_only', stream_post_policy === 2)]
      : []),
    ...(is('message_retention_days') ? [of('message_retention_days', after.message_retention_days)] : []),
    ...(is('can_remove_subscribers_group')
      ? [of('can_remove_subscribers_group', after.can_remove_subscribers_group)]
      : []),
  ];
}
