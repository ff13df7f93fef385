import type { Handlers } from '../../core/handler.ts';
import { addLinkifier, deleteLinkifier, getLinkifiers, reorderLinkifiers, updateLinkifier } from './actions.ts';

export const linkifiers = {
  getLinkifiers: (ctx) => getLinkifiers(ctx),
  addLinkifier: (ctx, values) => addLinkifier(ctx, values),
  updateLinkifier: (ctx, { filter_id, ...values }) => updateLinkifier(ctx, filter_id, values),
  deleteLinkifier: (ctx, { filter_id }) => deleteLinkifier(ctx, filter_id),
  reorderLinkifiers: (ctx, { ordered_linkifier_ids }) => reorderLinkifiers(ctx, ordered_linkifier_ids),
} satisfies Partial<Handlers>;
