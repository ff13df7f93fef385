import type { Handlers } from '../../core/handler.ts';
import { getSubscriptions, isSubscribed } from './actions/list.ts';
import { updateProperties } from './actions/properties.ts';
import { subscribe } from './actions/subscribe.ts';
import { unsubscribe } from './actions/unsubscribe.ts';
import { updateSubscriptions } from './actions/update.ts';

export const subscriptions = {
  getSubscriptions: async (ctx, params) => ({ subscriptions: await getSubscriptions(ctx, params) }),
  subscribe: (ctx, params) => subscribe(ctx, params),
  unsubscribe: (ctx, params) => unsubscribe(ctx, params),
  updateSubscriptions: (ctx, params) => updateSubscriptions(ctx, params),
  getSubscriptionStatus: async (ctx, params) => ({ is_subscribed: await isSubscribed(ctx, params) }),
  updateSubscriptionProperties: (ctx, { subscription_data }) => updateProperties(ctx, subscription_data),
  updateSubscriptionProperty: (ctx, change) => updateProperties(ctx, [change]),
} satisfies Partial<Handlers>;
