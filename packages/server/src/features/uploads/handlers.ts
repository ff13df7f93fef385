import type { Handlers } from '../../core/handler.ts';
import { getFileUrl, uploadFile } from './actions.ts';
import { deleteAttachment, getAttachments } from './attachments.ts';

export const uploads = {
  uploadFile: (ctx, params) => uploadFile(ctx, params),
  getFileUrl: (ctx, params) => getFileUrl(ctx, params),
  getAttachments: (ctx) => getAttachments(ctx),
  deleteAttachment: (ctx, { attachment_id }) => deleteAttachment(ctx, attachment_id),
} satisfies Partial<Handlers>;
