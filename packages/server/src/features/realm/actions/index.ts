// A separate entry point: these actions use users and user-groups, which in turn import `realm/index.ts`.
export { insertAudit } from '../queries/audit.ts';
export { deactivateRealm, reactivateRealm } from './deactivate.ts';
export { type RealmUpdateCtx, updateRealm } from './update.ts';
