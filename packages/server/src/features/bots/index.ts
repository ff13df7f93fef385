export { emitBotAdded, emitBotAvatarChanged, emitBotRemoved, emitBotRenamed } from './emit.ts';
export { presentBot } from './present.ts';
export { botsState, listBotsOf } from './state.ts';
