export { uploadsLinkedBy } from './access-sql.ts';
export { findFile } from './actions.ts';
export {
  emitAttachmentsUpdated as tellUploadsUpdated,
  type Linked,
  linkUploads,
  relinkScheduled,
  relinkUploads,
} from './links.ts';
export { piecesOf } from './pieces.ts';
export type { StoredUpload } from './queries/files.ts';
export { isShown } from './rules.ts';
export { sweepUploads } from './sweep.ts';
export { ticketOf } from './temporary.ts';
