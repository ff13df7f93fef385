export { linkifiersState } from './actions.ts';
export { listCompiledLinkifiers } from './compiled-linkifiers.ts';
