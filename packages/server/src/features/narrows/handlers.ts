import type { Handlers } from '../../core/handler.ts';
import { getMessage, getMessages } from './actions/fetch.ts';
import { updateMessageFlagsForNarrow } from './actions/flag.ts';
import { matchNarrow } from './actions/match.ts';

export const narrows = {
  getMessages: (ctx, params) => getMessages(ctx, params),
  matchNarrow: async (ctx, params) => ({ messages: await matchNarrow(ctx, params) }),
  getMessage: (ctx, params) => getMessage(ctx, params),
  updateMessageFlagsForNarrow: (ctx, params) => updateMessageFlagsForNarrow(ctx, params),
} satisfies Partial<Handlers>;
