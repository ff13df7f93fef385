/** Whoever asked and waits for an answer. */
export interface ResponseReceiver<Payload> {
  /** `isFree`: the request does not count against the rate limit. */
  respond(payload: Payload, options?: { readonly isFree?: boolean }): void;
  fail(error: unknown): void;
}

/** What a handler returns whose answer comes later: until then only what `begin` was given to hold is held. */
export class DeferredResponse<Payload> {
  readonly begin: (waiter: ResponseReceiver<Payload>) => void;

  constructor(begin: (waiter: ResponseReceiver<Payload>) => void) {
    this.begin = begin;
  }
}
