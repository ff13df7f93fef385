export { lockAccount } from './access.ts';
export { audit, createRealm, createUser, type NewRealm, type NewUser } from './actions.ts';
export {
  changeBotOwner,
  changeRole,
  deactivateUser,
  reactivateUser,
  renameUser,
  resetPassword,
  rotateKey,
  updateCanCreateUsers,
} from './change.ts';
export { type DemoAccount, ensureDemo } from './demo.ts';
export { domainProblem } from './domains.ts';
export { listRealms } from './queries.ts';
export { emailProblem, nameProblem } from './rules.ts';
