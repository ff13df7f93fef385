import type { Handlers } from '../../core/handler.ts';
import { createBot, deactivateBot, getBots, regenerateKey, updateBot } from './actions.ts';
import { deleteBotStorage, getBotStorage, updateBotStorage } from './storage.ts';

export const botAdmin = {
  getBots: (ctx) => getBots(ctx),
  createBot: (ctx, params) => createBot(ctx, params),
  updateBot: (ctx, params) => updateBot(ctx, params),
  deactivateBot: (ctx, { bot_id }) => deactivateBot(ctx, bot_id),
  regenerateBotApiKey: (ctx, { bot_id }) => regenerateKey(ctx, bot_id),
  getBotStorage: (ctx, params) => getBotStorage(ctx, params),
  updateBotStorage: (ctx, params) => updateBotStorage(ctx, params),
  deleteBotStorage: (ctx, params) => deleteBotStorage(ctx, params),
} satisfies Partial<Handlers>;
