// A front door of its own: who comes in by these may get an account, and accounts stand on `auth/index.ts`.
export { fetchApiKey } from './fetch-api-key.ts';
export {
  beginSignIn,
  completePostedSignIn,
  getApiKeyForGrant,
  getCallbackUrls,
  handleCallback,
  handlePostedCallback,
  type SignInOutcome,
  type SignInPurpose,
} from './sign-in.ts';
