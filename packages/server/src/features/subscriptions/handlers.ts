import type { Handlers } from '../../core/handler.ts';
import { getSubscriptions } from './actions/list.ts';
import { updateProperties } from './actions/properties.ts';
import { subscribe } from './actions/subscribe.ts';
import { unsubscribe } from './actions/unsubscribe.ts';

export const subscriptions = {
  getSubscriptions: async (ctx, params) => ({ subscriptions: await getSubscriptions(ctx, params) }),
  subscribe: (ctx, params) => subscribe(ctx, params),
  unsubscribe: (ctx, params) => unsubscribe(ctx, params),
  updateSubscriptionProperties: (ctx, { subscription_data }) => updateProperties(ctx, subscription_data),
  updateSubscriptionProperty: (ctx, change) => updateProperties(ctx, [change]),
} satisfies Partial<Handlers>;
