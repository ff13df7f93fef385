import { changed, type Of, pickPresent, type State, upsertSorted } from './state.ts';

export const withBot = (state: State, { op, bot }: Of<'realm_bot'>): State =>
  pickPresent(state, 'realm_bots', (bots) => {
    if (op === 'update') return changed(bots, [bot.user_id], () => bot, 'user_id');
    return upsertSorted(bots, 'user_id', op === 'delete' ? [] : [bot], bot.user_id);
  });
