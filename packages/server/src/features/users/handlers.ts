import type { Handlers } from '../../core/handler.ts';
import { getOwnUser, getUser, getUsers } from './actions.ts';

export const users = {
  getUsers: (ctx, params) => getUsers(ctx, params),
  getUser: (ctx, params) => getUser(ctx, params),
  getOwnUser: (ctx) => getOwnUser(ctx),
} satisfies Partial<Handlers>;
