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

/** Terms that a message must satisfy, as `getMessages` takes them: `const narrow: Narrow = [['stream', 'kitchen'], ['is', 'unread']]`. */
export type Narrow = NonNullable<Params<'getMessages'>['narrow']>;

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
  /** What sends this request in place of the `fetch` of the client, such as `createProgressFetch` of `@parley/client/files` makes. */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
}

/** The response of a call with its status and headers. Its body is read already: `data` is what was in it. */
export interface WithResponse<Id extends OperationId> {
  readonly data: Payload<Id>;
  readonly response: Response;
}

/** What a call returns: a promise of what the operation responds. */
export interface Call<Id extends OperationId> extends Promise<Payload<Id>> {
  /** The same with the response, of the last try: `const { data, response } = await client.getStreams().withResponse()`. */
  withResponse(): Promise<WithResponse<Id>>;
}

/** `params` may be left out where nothing is required. */
export type Arguments<Id extends OperationId> =
  object extends Params<Id>
    ? [params?: Params<Id> | undefined, options?: CallOptions | undefined]
    : [params: Params<Id>, options?: CallOptions | undefined];
