// In this order everything fits in 10 KB: what is alike is closer together when it is compressed.

// The table of operations.

export { type Route, routes } from './routes.ts';

// What becomes of the state by events.

export { applyEvent, type MirrorOptions, type State } from './mirror/index.ts';

// What stands on its own.

export { encodeBody, encodeForm } from './form.ts';
export { createTypingNotifier, type TypingIntervals, type TypingNotifier, type TypingPlace } from './typing.ts';

// The client.

export { type Client, createClient, logIn } from './client.ts';
export { type ErrorCode, type ErrorResponse, ParleyError, type ParleyErrorOf, TransportError } from './errors.ts';
export type { EventOptions, EventStream, EventType, Registration, Resync } from './events.ts';
export type { Calls } from './generated/calls.ts';
export type { components, operations, paths } from './generated/schema.ts';
export type { ClientOptions, Retried, Try } from './options.ts';
export type { Arguments, CallOptions, OperationId, Params, Payload, Schema } from './types.ts';

// What stands on a client.

export { type Mirrored, mirror } from './mirror/follow.ts';
export { deleteTopic, type Move, moveMessages, resolveTopic } from './topics.ts';
