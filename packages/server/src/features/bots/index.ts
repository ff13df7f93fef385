export { botsState } from './state.ts';
export { tellBotAdded, tellBotGone, tellBotRenamed } from './tell.ts';
