export {
  emitGuestVisibility,
  emitUserAdded,
  type GuestVisibility,
  loadGuestVisibility,
  withGuestVisibilityEvents,
} from './emit.ts';
