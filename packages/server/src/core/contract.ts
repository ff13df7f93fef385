// The types of the API, derived from the OpenAPI document.
import type { operations, ServerComponents, ServerOperations } from '@parley/openapi';

export type Schema<Name extends keyof ServerComponents['schemas']> = ServerComponents['schemas'][Name];
export type OperationId = keyof ServerOperations & keyof typeof operations;
/** The properties of an operation besides its types. */
export type Operation = (typeof operations)[OperationId];
export type Event = Schema<'Event'>;

type Flat<T> = { [K in keyof T]: T[K] };
type NonNever<T> = [NonNullable<T>] extends [never] ? unknown : NonNullable<T>;
type Form<T> = [T] extends [never]
  ? unknown
  : T extends { content: { 'application/x-www-form-urlencoded': infer Fields } }
    ? Fields
    : T extends { content: { 'multipart/form-data': infer Fields } }
      ? Fields
      : unknown;
type BodyOf<Op> = Op extends { requestBody?: infer Body } ? NonNullable<Body> : never;
type Parameters<
  Id extends OperationId,
  Location extends 'path' | 'query',
> = ServerOperations[Id]['parameters'] extends {
  [P in Location]?: infer Values;
}
  ? Values
  : never;

/** Path, query and form parameters share one namespace, as they do in requests. */
export type Params<Id extends OperationId> = Flat<
  NonNever<Parameters<Id, 'path'>> & NonNever<Parameters<Id, 'query'>> & Form<BodyOf<ServerOperations[Id]>>
>;

type SuccessBody<Id extends OperationId> = ServerOperations[Id]['responses'][200]['content']['application/json'];
type Fields<Id extends OperationId> = Omit<SuccessBody<Id>, keyof Schema<'Success'>>;

/** What a handler returns: the documented response without its envelope, or nothing at all. */
// biome-ignore lint/suspicious/noConfusingVoidType: an action without a payload returns nothing.
export type Payload<Id extends OperationId> = keyof Fields<Id> extends never ? void : Flat<Fields<Id>>;
