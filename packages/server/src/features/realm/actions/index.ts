// A front door of its own: these actions use users and user-groups, which themselves stand on `realm/index.ts`.
export { insertAudit } from '../queries/audit.ts';
export { deactivateRealm, reactivateRealm } from './deactivate.ts';
export { type RealmUpdateCtx, updateRealm } from './update.ts';
