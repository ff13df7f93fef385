export { emitDeleted } from './actions/delete.ts';
export { deleteMessages } from './queries/delete.ts';
