import { given, type Of, type State, without } from './state.ts';

/** A registration has no more, of either. */
const MOST = 1000;

/** Puts items in place of those with their ids, or of the one that is gone, in the order of their times. */
function placed<Id extends string, Time extends string, Item extends { readonly [key in Id | Time]: number }>(
  before: readonly Item[],
  [id, time]: readonly [Id, Time],
  news: readonly Item[],
  gone?: number,
): Item[] {
  const others = without(before, id, [gone, ...news.map((one) => one[id])]);
  return [...others, ...news].sort((a, b) => a[time] - b[time] || a[id] - b[id]).slice(-MOST);
}

/** Drafts come, change and go; their order is that of their last changes. */
export const withDrafts = (state: State, event: Of<'drafts'>): State =>
  given(state, 'drafts', (before) =>
    event.op === 'remove'
      ? placed(before, ['id', 'timestamp'], [], event.draft_id)
      : placed(before, ['id', 'timestamp'], event.op === 'add' ? event.drafts : [event.draft]),
  );

const SCHEDULED = ['scheduled_message_id', 'scheduled_delivery_timestamp'] as const;

/** A scheduled message comes, changes, or goes because it was deleted or sent. */
export const withScheduled = (state: State, event: Of<'scheduled_messages'>): State =>
  given(state, 'scheduled_messages', (before) =>
    event.op === 'remove'
      ? placed(before, SCHEDULED, [], event.scheduled_message_id)
      : placed(before, SCHEDULED, event.op === 'add' ? event.scheduled_messages : [event.scheduled_message]),
  );

type SettingEvent = Of<'user_settings'> | Of<'realm_user_settings_defaults'>;

/** Whoever turns their synchronization off has no drafts any more, and hears of no single one. */
export function withKeptDrafts(state: State, { type, property, value }: SettingEvent): State {
  const isOff = type === 'user_settings' && property === 'enable_drafts_synchronization' && value === false;
  return isOff ? given(state, 'drafts', () => []) : state;
}
