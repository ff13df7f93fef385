import type { Handlers } from '../../core/handler.ts';
import { updateRealm } from './actions/update.ts';

export const realmAdmin = {
  updateRealm: (ctx, params) => updateRealm(ctx, params),
} satisfies Partial<Handlers>;
