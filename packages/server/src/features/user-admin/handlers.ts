import type { Handlers } from '../../core/handler.ts';
import {
  createMember,
  endAccount,
  endOwnAccount,
  regenerateOwnKey,
  reopenAccount,
  updateUser,
} from './actions/api-requests.ts';

export const userAdmin = {
  createUser: (ctx, params) => createMember(ctx, params),
  updateUser: (ctx, params) => updateUser(ctx, params),
  deactivateUser: (ctx, params) => endAccount(ctx, params),
  reactivateUser: (ctx, { user_id }) => reopenAccount(ctx, user_id),
  deactivateOwnUser: (ctx) => endOwnAccount(ctx),
  regenerateApiKey: (ctx) => regenerateOwnKey(ctx),
} satisfies Partial<Handlers>;
