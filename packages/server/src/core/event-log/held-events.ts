import type { Ctx } from '../context.ts';

/** A context whose events wait, and what emits them. */
export interface HeldEvents<C> {
  readonly ctx: C;
  /** Emits the events that waited, in their order. Without a call they are gone. */
  emitHeld(): void;
}

/** For work whose events are emitted after others that need its results, or only if it succeeds. */
export function holdEvents<C extends Pick<Ctx, 'emit'>>(ctx: C): HeldEvents<C> {
  const held: Parameters<Ctx['emit']>[] = [];
  return {
    ctx: { ...ctx, emit: (...event: Parameters<Ctx['emit']>) => void held.push(event) },
    emitHeld: () => {
      for (const event of held) ctx.emit(...event);
    },
  };
}
