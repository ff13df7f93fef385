import type { Handlers } from '../../core/handler.ts';
import { getFileUrl, uploadFile } from './actions.ts';

export const uploads = {
  uploadFile: (ctx, params) => uploadFile(ctx, params),
  getFileUrl: (ctx, params) => getFileUrl(ctx, params),
} satisfies Partial<Handlers>;
