export { createToken } from './actions/create.ts';
export { getTokens, listTokens } from './actions/list.ts';
export { revokeToken } from './actions/revoke.ts';
export { authenticateToken } from './authenticate.ts';
export { recordTokenUse } from './last-use.ts';
export {
  deleteTokens,
  findTokenCaller,
  findTokenForUpdate,
  insertToken,
  listApplicationTokensForUpdate,
  type TokenRow,
  updateTokenSecret,
} from './queries.ts';
export { limitQueueTypes, operationProblem, streamProblem, type TokenProblem, tokenNameProblem } from './rules.ts';
export { generateRandomText, generateSecret, hashToken, listHashes, readToken } from './secret.ts';
