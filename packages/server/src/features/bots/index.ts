export { emitBotAdded, emitBotAvatarChanged, emitBotRemoved, emitBotRenamed } from './emit.ts';
export { botsState } from './state.ts';
