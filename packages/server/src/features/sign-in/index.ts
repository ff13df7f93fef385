export { fetchApiKey } from './actions/fetch-api-key.ts';
export {
  beginSignIn,
  completePostedSignIn,
  getApiKeyForGrant,
  getCallbackUrls,
  handleCallback,
  handlePostedCallback,
  type SignInOutcome,
  type SignInPurpose,
} from './actions/sign-in.ts';
