import type { Handlers } from '../../core/handler.ts';
import { setTyping } from './actions.ts';

export const typing = {
  setTyping: (ctx, params) => setTyping(ctx, params),
} satisfies Partial<Handlers>;
