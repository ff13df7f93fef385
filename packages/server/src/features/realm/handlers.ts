import type { Handlers } from '../../core/handler.ts';
import { updateRealm } from './actions/index.ts';

export const realm = {
  updateRealm: (ctx, params) => updateRealm(ctx, params),
} satisfies Partial<Handlers>;
