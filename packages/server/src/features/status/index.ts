export { statusState } from './actions/state.ts';
export { presentStatus } from './present.ts';
export { listStatuses } from './queries.ts';
