export { emitVisibilityChange } from './actions/emit-visibility.ts';
export { subscriptionState } from './actions/list.ts';
export { subscribeNewUser } from './actions/new-user.ts';
export { subscribe } from './actions/subscribe.ts';
export { unsubscribe } from './actions/unsubscribe.ts';
