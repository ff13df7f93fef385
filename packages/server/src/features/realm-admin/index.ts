export { deactivateRealm, reactivateRealm } from './actions/deactivate.ts';
export { type RealmUpdateCtx, updateRealm } from './actions/update.ts';
