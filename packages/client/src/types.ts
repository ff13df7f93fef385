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
type Parameters<Id extends OperationId, Location extends 'path' | 'query'> = operations[Id]['parameters'] extends {
  [P in Location]?: infer Values;
}
  ? Values
  : never;

/** Parameters as callers can pass them: arrays can be read-only, and optional ones can be undefined. */
type Loose<T> = T extends readonly unknown[]
  ? { readonly [K in keyof T]: Loose<T[K]> }
  : T extends Record<string, unknown>
    ? { [K in keyof T]: Loose<T[K]> | (object extends Pick<T, K> ? undefined : never) }
    : T;

/** All parameters of an operation by name, whether in the path, query or body. */
export type Params<Id extends OperationId> = Flat<
  Loose<NonNever<Parameters<Id, 'path'>> & NonNever<Parameters<Id, 'query'>> & Form<BodyOf<operations[Id]>>>
>;

/** Terms that a message must satisfy, as `getMessages` takes them: `const narrow: Narrow = [['stream', 'kitchen'], ['is', 'unread']]`. */
export type Narrow = NonNullable<Params<'getMessages'>['narrow']>;

/** The response of an operation, without `result` and `msg`. */
export type Payload<Id extends OperationId> = Flat<
  Omit<operations[Id]['responses'][200]['content']['application/json'], 'result' | 'msg'>
>;

export interface CallOptions {
  /** Aborts the call at once; it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /**
   * A unique name for a write, such as `crypto.randomUUID()`. A repetition with the same name within 24 hours is not
   * carried out again, but returns the first response. With a key, the client itself retries the write when the network
   * fails.
   */
  idempotencyKey?: string | undefined;
  /** Timeout of one attempt, in milliseconds. */
  timeout?: number | undefined;
  /** Maximum number of retries. */
  retries?: number | undefined;
  /**
   * Sends this request instead of the client's `fetch`, such as the result of `createProgressFetch` of
   * `@parley/client/files`.
   */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
}

/** The response of a call with its status and headers. Its body has been read: `data` is its content. */
export interface WithResponse<Id extends OperationId> {
  readonly data: Payload<Id>;
  readonly response: Response;
}

/** The result of a call: a promise of the operation's response. */
export interface Call<Id extends OperationId> extends Promise<Payload<Id>> {
  /**
   * The same with the response of the last attempt: `const { data, response } = await
   * client.getStreams().withResponse()`.
   */
  withResponse(): Promise<WithResponse<Id>>;
}

/** `params` can be omitted where no parameter is required. */
export type Arguments<Id extends OperationId> =
  object extends Params<Id>
    ? [params?: Params<Id> | undefined, options?: CallOptions | undefined]
    : [params: Params<Id>, options?: CallOptions | undefined];
