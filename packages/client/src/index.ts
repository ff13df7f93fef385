export { type ClientOptions, createClient } from './client.ts';
export { type ErrorCode, ParleyError, type Refusal, TransportError } from './errors.ts';
export { encodeBody, encodeForm } from './form.ts';
export { type Calls, routes } from './generated/calls.ts';
export type { components, operations, paths } from './generated/schema.ts';
export { applyEvent, type MirrorOptions, type State } from './mirror/index.ts';
export type { Arguments, CallOptions, OperationId, Params, Payload, Schema } from './types.ts';
