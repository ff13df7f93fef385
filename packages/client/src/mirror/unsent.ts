import type { Schema } from '../types.ts';
import { type Of, pickPresent, type State, upsertSorted } from './state.ts';

/** The maximum number of each in a registration. */
const MOST = 1000;

type Draft = Schema<'Draft'>;
type Scheduled = Schema<'ScheduledMessage'>;

/** Applies added, changed and deleted drafts; they are ordered by their last changes. */
export function withDrafts(state: State, event: Of<'drafts'>): State {
  const { drafts = [], draft, draft_id }: { drafts?: Draft[]; draft?: Draft; draft_id?: number } = event;
  return pickPresent(state, 'drafts', (before) =>
    upsertSorted(before, 'id', draft ? [draft] : drafts, draft_id, 'timestamp').slice(-MOST),
  );
}

interface ScheduledChange {
  readonly scheduled_messages?: Scheduled[];
  readonly scheduled_message?: Scheduled;
  readonly scheduled_message_id?: number;
}

/** Applies an added, changed, deleted or sent scheduled message. */
export function withScheduled(state: State, event: Of<'scheduled_messages'>): State {
  const { scheduled_messages = [], scheduled_message, scheduled_message_id }: ScheduledChange = event;
  const upserted = scheduled_message ? [scheduled_message] : scheduled_messages;
  return pickPresent(state, 'scheduled_messages', (before) =>
    upsertSorted(before, 'scheduled_message_id', upserted, scheduled_message_id, 'scheduled_delivery_timestamp').slice(
      -MOST,
    ),
  );
}
