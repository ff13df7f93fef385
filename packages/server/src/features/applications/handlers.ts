import type { Handlers } from '../../core/handler.ts';
import {
  createApplication,
  deleteApplication,
  getApplications,
  regenerateApplicationSecret,
  updateApplication,
} from './actions.ts';

export const applications = {
  getApplications: (ctx) => getApplications(ctx),
  createApplication: (ctx, params) => createApplication(ctx, params),
  updateApplication: (ctx, params) => updateApplication(ctx, params),
  deleteApplication: (ctx, { application_id }) => deleteApplication(ctx, application_id),
  regenerateApplicationSecret: (ctx, { application_id }) => regenerateApplicationSecret(ctx, application_id),
} satisfies Partial<Handlers>;
