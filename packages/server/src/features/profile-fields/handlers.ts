import type { Handlers } from '../../core/handler.ts';
import {
  createProfileField,
  deleteProfileField,
  getProfileFields,
  reorderProfileFields,
  updateProfileField,
} from './actions/fields.ts';
import { changeProfile, clearProfile } from './actions/values.ts';

export const profileFields = {
  getProfileFields: (ctx) => getProfileFields(ctx),
  createProfileField: (ctx, params) => createProfileField(ctx, params),
  updateProfileField: (ctx, params) => updateProfileField(ctx, params),
  deleteProfileField: (ctx, { field_id }) => deleteProfileField(ctx, field_id),
  reorderProfileFields: (ctx, { order }) => reorderProfileFields(ctx, order),
  updateProfileData: (ctx, { data }) => changeProfile(ctx, ctx.me, data, 'data'),
  deleteProfileData: (ctx, { data }) => clearProfile(ctx, data),
} satisfies Partial<Handlers>;
