import { changed, given, type Of, placed, type State } from './state.ts';

export const withBot = (state: State, { op, bot }: Of<'realm_bot'>): State =>
  given(state, 'realm_bots', (bots) => {
    if (op === 'update') return changed(bots, [bot.user_id], () => bot, 'user_id');
    return placed(bots, 'user_id', op === 'delete' ? [] : [bot], bot.user_id);
  });
