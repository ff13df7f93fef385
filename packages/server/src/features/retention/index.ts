export {
  deleteAllExpiredMessages,
  deleteExpiredMessages,
  type ExpiredMessages,
  listExpired,
} from './actions.ts';
