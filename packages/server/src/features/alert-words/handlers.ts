import type { Handlers } from '../../core/handler.ts';
import { addAlertWords, getAlertWords, removeAlertWords } from './actions.ts';

export const alertWords = {
  getAlertWords: (ctx) => getAlertWords(ctx),
  addAlertWords: (ctx, { alert_words }) => addAlertWords(ctx, alert_words),
  removeAlertWords: (ctx, { alert_words }) => removeAlertWords(ctx, alert_words),
} satisfies Partial<Handlers>;
