import type { Handlers } from '../../core/handler.ts';
import { fetchApiKey } from './actions/fetch-api-key.ts';

export const signIn = {
  fetchApiKey: (ctx, params) => fetchApiKey(ctx, params),
} satisfies Partial<Handlers>;
