import { byNumber, given, type Of, type State, without } from './state.ts';

export const withBot = (state: State, { op, bot }: Of<'realm_bot'>): State =>
  given(state, 'realm_bots', (bots) => {
    if (op === 'update') return bots.map((one) => (one.user_id === bot.user_id ? { ...one, ...bot } : one));
    const others = without(bots, 'user_id', [bot.user_id]);
    return op === 'delete' ? others : byNumber([...others, bot], 'user_id');
  });
