import type { Handlers } from '../../core/handler.ts';
import { register } from './actions.ts';

export const registration = {
  registerQueue: (ctx, params) => register(ctx, params),
} satisfies Partial<Handlers>;
