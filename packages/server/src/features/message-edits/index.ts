export { type EditRow, listEdits, type MoveRow, moveColumns } from './queries/history.ts';
export { findNewestInTopic, writeTopicEventLists } from './queries/move.ts';
export { listVisibleEdits, type VisibleEdits } from './rules/history.ts';
export { isPast } from './rules/update.ts';
