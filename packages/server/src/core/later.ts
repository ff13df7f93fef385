/** Whoever asked and waits for an answer. */
export interface Waiter<Payload> {
  /** `isFree`: the request does not count against the rate limit. */
  answer(payload: Payload, options?: { readonly isFree?: boolean }): void;
  fail(error: unknown): void;
}

/** What a handler returns whose answer comes later: until then only what `begin` was given to hold is held. */
export class Later<Payload> {
  readonly begin: (waiter: Waiter<Payload>) => void;

  constructor(begin: (waiter: Waiter<Payload>) => void) {
    this.begin = begin;
  }
}
