import { given, type Of, type State } from './state.ts';

export function withBot(state: State, event: Of<'realm_bot'>): State {
  const { user_id } = event.bot;
  return given(state, 'realm_bots', (bots) => {
    const others = bots.filter((bot) => bot.user_id !== user_id);
    if (event.op === 'delete') return others;
    if (event.op === 'add') return [...others, event.bot].sort((a, b) => a.user_id - b.user_id);
    return bots.map((bot) => (bot.user_id === user_id ? { ...bot, ...event.bot } : bot));
  });
}
