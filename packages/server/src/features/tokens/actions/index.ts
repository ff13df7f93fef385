export { createToken } from './create.ts';
export { getTokens, listTokens } from './list.ts';
export { revokeToken } from './revoke.ts';
