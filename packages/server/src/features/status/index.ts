export { presentStatus } from './present.ts';
export { listStatuses } from './queries.ts';
