// A front door of its own: who comes in by these may get an account, and accounts stand on `auth/index.ts`.
export { type Arrival, arrive, arrivePosted, finish, leave, type Purpose, returnTo, showKey } from './sign-in.ts';
