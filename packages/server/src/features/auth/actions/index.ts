// A separate entry point: these actions can create accounts, which in turn import `auth/index.ts`.
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
