import type { Handlers } from '../../core/handler.ts';
import { updateStatus } from './actions/update.ts';

export const status = {
  updateStatus: (ctx, params) => updateStatus(ctx, params),
} satisfies Partial<Handlers>;
