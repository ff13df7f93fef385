export { botsState } from './state.ts';
export { tellBotAdded, tellBotGone, tellBotPictured, tellBotRenamed } from './tell.ts';
