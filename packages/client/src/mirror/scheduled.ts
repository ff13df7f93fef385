import { given, type Of, type State } from './state.ts';

type Scheduled = NonNullable<State['scheduled_messages']>[number];

/** A scheduled message comes, changes, or goes because it was deleted or sent. */
export function withScheduled(state: State, event: Of<'scheduled_messages'>): State {
  return given(state, 'scheduled_messages', (before) => {
    const news = event.op === 'remove' ? [] : event.op === 'add' ? event.scheduled_messages : [event.scheduled_message];
    const gone = event.op === 'remove' ? [event.scheduled_message_id] : news.map((one) => one.scheduled_message_id);
    return [...before.filter((one) => !gone.includes(one.scheduled_message_id)), ...news].sort(byTime);
  });
}

const byTime = (one: Scheduled, other: Scheduled): number =>
  one.scheduled_delivery_timestamp - other.scheduled_delivery_timestamp ||
  one.scheduled_message_id - other.scheduled_message_id;
