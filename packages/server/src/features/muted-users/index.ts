export { mutedUsersState } from './actions.ts';
