// What must not compile. `npm run typecheck` fails when one of these lines does: each `@ts-expect-error` needs an error.

import { expect, expectTypeOf, test } from 'vitest';
import type { Ctx, PublicCtx, ServerCtx } from '../src/core/context.ts';
import type { Params, Payload } from '../src/core/contract.ts';
import { ApiError, fail } from '../src/core/errors.ts';
import type { CtxOf, Handlers } from '../src/core/handler.ts';
import type { Polling } from '../src/core/polls.ts';
import type { Sealing } from '../src/core/sealing.ts';
import type { Server } from '../src/core/server.ts';
import { handlers } from '../src/handlers.ts';

const never = (work: () => unknown): void => expect(work).toBeTypeOf('function');

test('a handler that is missing or misnamed does not compile', () => {
  const { sendMessage: _, ...others } = handlers;
  // @ts-expect-error sendMessage is missing
  const incomplete: Handlers = others;
  // @ts-expect-error there is no such operation
  const misnamed: Partial<Handlers> = { sendMesage: handlers.sendMessage };
  expect([incomplete, misnamed]).toHaveLength(2);
});

test('a wrong payload does not compile', () => {
  // @ts-expect-error ids are numbers
  const wrong: Partial<Handlers> = { updateMessageFlags: async () => ({ messages: ['7'] }) };
  // @ts-expect-error `complete` is missing
  const absent: Partial<Handlers> = { markAllAsRead: async () => ({}) };
  expect([wrong, absent]).toHaveLength(2);
  expectTypeOf<Payload<'deleteQueue'>>().toEqualTypeOf<void>();
});

test('a wrong event does not compile', () => {
  never(() => (ctx: Ctx) => {
    // @ts-expect-error there is no such op
    ctx.emit({ type: 'stream', op: 'toggle', streams: [] }, { everyone: true });
    // @ts-expect-error there is no such type
    ctx.emit({ type: 'weather' }, { everyone: true });
    // @ts-expect-error there is no such audience
    ctx.emit({ type: 'stream', op: 'create', streams: [] }, { nobody: true });
  });
});

// shows: 1.11
test('an undocumented error field or code does not compile', () => {
  // @ts-expect-error the field is `stream`
  never(() => fail('STREAM_DOES_NOT_EXIST', 'x', { streem: 'cellar' }));
  // @ts-expect-error the field is required
  never(() => fail('BAD_EVENT_QUEUE_ID', 'x'));
  // @ts-expect-error BAD_REQUEST has no such field
  never(() => fail('BAD_REQUEST', 'x', { reason: 'invalid', stream: 'cellar' }));
  // @ts-expect-error what is wrong with a field is a list
  never(() => fail('BAD_REQUEST', 'x', { reason: 'invalid', errors: { name: 'cellar' } }));
  never(() => fail('BAD_REQUEST', 'x', { reason: 'invalid', errors: { name: ['cellar'] } }));
  never(() => fail('BAD_REQUEST', 'x', { reason: 'invalid' }));
  // @ts-expect-error the reason is required
  never(() => fail('BAD_REQUEST', 'x'));
  // @ts-expect-error there is no such reason
  never(() => fail('BAD_REQUEST', 'x', { reason: 'full moon' }));
  // @ts-expect-error the reason is required
  never(() => new ApiError('BAD_REQUEST', 'x'));
  // @ts-expect-error there is no such code
  never(() => fail('TEAPOT', 'x'));
});

test('a public operation has no `me`, and one for any host perhaps no organization', () => {
  expectTypeOf<CtxOf<'sendMessage'>>().toEqualTypeOf<Ctx<Server>>();
  expectTypeOf<CtxOf<'fetchApiKey'>>().toEqualTypeOf<PublicCtx<Server>>();
  expectTypeOf<CtxOf<'getServerSettings'>>().toEqualTypeOf<ServerCtx<Server>>();
});

test('what a function did not ask for of the running server does not compile', () => {
  never(() => (ctx: Ctx<Polling>) => {
    ctx.server.polls.ticket();
    // @ts-expect-error it asked for polls
    ctx.server.seal('email', ctx.realm, 'soup');
  });
  expectTypeOf<Ctx<Server>>().toExtend<Ctx<Polling>>();
  expectTypeOf<Ctx<Polling>>().not.toExtend<Ctx<Sealing>>();
});

test('parameters with a default are always present for a handler, others may be', () => {
  expectTypeOf<Params<'getEvents'>['dont_block']>().toEqualTypeOf<boolean>();
  expectTypeOf<Params<'subscribe'>['color' & keyof Params<'subscribe'>]>().toBeNever();
  expectTypeOf<Params<'sendMessage'>['topic']>().toEqualTypeOf<string | undefined>();
});
