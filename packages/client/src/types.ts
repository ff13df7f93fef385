import type { components, operations } from './generated/schema.ts';

export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];
export type OperationId = keyof operations;

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
type Parameters<Id extends OperationId, Place extends 'path' | 'query'> = operations[Id]['parameters'] extends {
  [P in Place]?: infer Values;
}
  ? Values
  : never;

/** As it may be given: lists may be read-only, and what may be left out may be undefined. */
type Loose<T> = T extends readonly unknown[]
  ? { readonly [K in keyof T]: Loose<T[K]> }
  : T extends Record<string, unknown>
    ? { [K in keyof T]: Loose<T[K]> | (object extends Pick<T, K> ? undefined : never) }
    : T;

/** All parameters of an operation by name, wherever they travel. */
export type Params<Id extends OperationId> = Flat<
  Loose<NonNever<Parameters<Id, 'path'>> & NonNever<Parameters<Id, 'query'>> & Form<BodyOf<operations[Id]>>>
>;

/** What an operation answers, without `result` and `msg`. */
export type Payload<Id extends OperationId> = Flat<
  Omit<operations[Id]['responses'][200]['content']['application/json'], 'result' | 'msg'>
>;

export interface CallOptions {
  /** Ends the call at once; it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /**
   * A name that you make up for a write, such as `crypto.randomUUID()`: when you send it again under the same name within 24
   * hours, it is not done twice but gives the first answer. With one, the client itself sends it again when the network fails.
   */
  idempotencyKey?: string | undefined;
  /** Milliseconds that one try may take. */
  timeout?: number | undefined;
  /** How often to try again at most. */
  retries?: number | undefined;
}

/** `params` may be left out where nothing is required. */
export type Arguments<Id extends OperationId> =
  object extends Params<Id>
    ? [params?: Params<Id> | undefined, options?: CallOptions | undefined]
    : [params: Params<Id>, options?: CallOptions | undefined];
