import type { Handlers } from '../../core/handler.ts';
import { getServerSettings } from './actions.ts';

export const serverSettings = {
  getServerSettings: (ctx) => getServerSettings(ctx),
} satisfies Partial<Handlers>;
