export { uploadsLinkedBy } from './access-sql.ts';
export { findFile } from './actions.ts';
export {
  emitAttachmentsUpdated as tellUploadsUpdated,
  type Linked,
  linkUploads,
  relinkScheduled,
  relinkUploads,
} from './links.ts';
export type { StoredUpload } from './queries/files.ts';
export { readPieces } from './read-pieces.ts';
export { isShownInline } from './rules.ts';
export { sweepUploads } from './sweep.ts';
export { parseTicket } from './temporary.ts';
