export { type EditRow, listEdits, type MoveRow, moveColumns } from './queries/history.ts';
export { findNewestInTopic, writeTopicEventLists } from './queries/move.ts';
export { listShownEdits, type ShownEdits } from './rules/history.ts';
export { isPast } from './rules/update.ts';
