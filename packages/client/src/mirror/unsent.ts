import { given, type Of, placed, type State } from './state.ts';

/** A registration has no more, of either. */
const MOST = 1000;

/** Drafts come, change and go; their order is that of their last changes. */
export const withDrafts = (state: State, event: Of<'drafts'>): State =>
  given(state, 'drafts', (before) => {
    const [news, gone] =
      event.op === 'remove' ? [[], event.draft_id] : [event.op === 'add' ? event.drafts : [event.draft]];
    return placed(before, 'id', news, gone, 'timestamp').slice(-MOST);
  });

/** A scheduled message comes, changes, or goes because it was deleted or sent. */
export const withScheduled = (state: State, event: Of<'scheduled_messages'>): State =>
  given(state, 'scheduled_messages', (before) => {
    const [news, gone] =
      event.op === 'remove'
        ? [[], event.scheduled_message_id]
        : [event.op === 'add' ? event.scheduled_messages : [event.scheduled_message]];
    return placed(before, 'scheduled_message_id', news, gone, 'scheduled_delivery_timestamp').slice(-MOST);
  });
