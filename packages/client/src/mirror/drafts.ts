import { given, type Of, type State } from './state.ts';

type Draft = NonNullable<State['drafts']>[number];

/** A registration has no more. */
const MOST = 1000;

/** Drafts come, change and go; their order is that of their last changes. */
export function withDrafts(state: State, event: Of<'drafts'>): State {
  return given(state, 'drafts', (before) => {
    const news = event.op === 'remove' ? [] : event.op === 'add' ? event.drafts : [event.draft];
    const gone = event.op === 'remove' ? [event.draft_id] : news.map(({ id }) => id);
    return [...before.filter(({ id }) => !gone.includes(id)), ...news].sort(byChange).slice(-MOST);
  });
}

/** Whoever turns their synchronization off has none any more, and hears of no single one. */
export function withKeptDrafts(state: State, { type, property, value }: SettingEvent): State {
  const isOff = type === 'user_settings' && property === 'enable_drafts_synchronization' && value === false;
  return isOff ? given(state, 'drafts', () => []) : state;
}

type SettingEvent = Of<'user_settings'> | Of<'realm_user_settings_defaults'>;

const byChange = (one: Draft, other: Draft): number => one.timestamp - other.timestamp || one.id - other.id;
