import type { Handlers } from '../../core/handler.ts';
import { deleteAvatar, uploadAvatar } from './actions.ts';

export const avatars = {
  uploadAvatar: (ctx, params) => uploadAvatar(ctx, params),
  deleteAvatar: (ctx) => deleteAvatar(ctx),
} satisfies Partial<Handlers>;
