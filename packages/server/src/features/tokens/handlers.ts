import type { Handlers } from '../../core/handler.ts';
import { createToken, getTokens, revokeToken } from './index.ts';

export const tokens = {
  getTokens: (ctx, params) => getTokens(ctx, params),
  createToken: (ctx, params) => createToken(ctx, ctx.me, params, ctx.me),
  revokeToken: (ctx, { token_id }) => revokeToken(ctx, token_id, ctx.me),
} satisfies Partial<Handlers>;
