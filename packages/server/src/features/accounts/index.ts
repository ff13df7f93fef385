export { lockAccount } from './access.ts';
export { audit, createRealm, createUser, type NewRealm, type NewUser } from './actions.ts';
export {
  allowCreatingUsers,
  changeBotOwner,
  changeRole,
  deactivateUser,
  reactivateUser,
  renameUser,
  resetPassword,
  rotateKey,
} from './change.ts';
export { type DemoPerson, ensureDemo } from './demo.ts';
export { domainProblem } from './domains.ts';
export { listRealms } from './queries.ts';
export { emailProblem, nameProblem } from './rules.ts';
