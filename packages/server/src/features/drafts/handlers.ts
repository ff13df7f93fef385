import type { Handlers } from '../../core/handler.ts';
import { createDrafts, deleteDraft, getDrafts, updateDraft } from './actions.ts';

export const drafts = {
  getDrafts: (ctx, params) => getDrafts(ctx, params),
  createDrafts: (ctx, { drafts }) => createDrafts(ctx, drafts),
  updateDraft: (ctx, { draft_id, draft }) => updateDraft(ctx, draft_id, draft),
  deleteDraft: (ctx, { draft_id }) => deleteDraft(ctx, draft_id),
} satisfies Partial<Handlers>;
