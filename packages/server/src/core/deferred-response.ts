/** The client of a request that waits for its response. */
export interface ResponseReceiver<Payload> {
  /** `isFree`: the request does not count against the rate limit. */
  respond(payload: Payload, options?: { readonly isFree?: boolean }): void;
  fail(error: unknown): void;
}

/** The result of a handler whose response comes later. Until then the server keeps only what `begin` keeps. */
export class DeferredResponse<Payload> {
  readonly begin: (waiter: ResponseReceiver<Payload>) => void;

  constructor(begin: (waiter: ResponseReceiver<Payload>) => void) {
    this.begin = begin;
  }
}
