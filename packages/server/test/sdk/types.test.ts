// What must compile with the client, and what must not: each `@ts-expect-error` needs an error.
import {
  type Arguments,
  type Calls,
  type Client,
  type OperationId,
  type Params,
  ParleyError,
  type Payload,
  type Registration,
  type Resync,
  type Schema,
} from '@parley/client';
import { expect, expectTypeOf, test } from 'vitest';

const never = (work: (client: Client) => unknown): void => expect(work).toBeTypeOf('function');

test('every operation takes its parameters and answers with its payload', () => {
  expectTypeOf<keyof Calls>().toEqualTypeOf<OperationId>();
  type Taken = { [Id in OperationId]: Parameters<Calls[Id]> };
  type Named = { [Id in OperationId]: Arguments<Id> };
  expectTypeOf<Taken extends Named ? true : false>().toEqualTypeOf<true>();
  expectTypeOf<Calls['sendMessage']>().returns.resolves.toEqualTypeOf<Payload<'sendMessage'>>();
  expectTypeOf<Calls['getStreams']>().toBeCallableWith();
  expectTypeOf<Params<'updateMessageFlags'>['messages']>().toEqualTypeOf<readonly number[]>();
  expectTypeOf<Payload<'getStreams'>>().not.toHaveProperty('result');
});

test('what may be left out may be undefined, and lists may be read-only', () => {
  const narrow = [['stream', 'kitchen']] as const;
  const around = { anchor: 'newest', num_before: 1, num_after: 0 } as const;
  const topic: string | undefined = undefined;
  never((client) => client.getMessages({ ...around, narrow, apply_markdown: undefined }));
  never((client) => client.updateMessage({ message_id: 4, topic, content: 'hello' }));
  const params: Params<'sendMessage'> = { type: 'stream', to: 'kitchen', content: 'hello' };
  params.topic = 'soup';
  expect(params).toMatchObject({ topic: 'soup' });
});

test('wrong parameters do not compile', () => {
  // @ts-expect-error a list is a list, not its JSON
  never((client) => client.updateMessageFlags({ messages: '[4]', op: 'add', flag: 'read' }));
  // @ts-expect-error one begins or stops to write
  never((client) => client.setTyping({ op: 'pause', to: [4] }));
  // @ts-expect-error the id is required
  never((client) => client.getMessage({}));
  // @ts-expect-error there is no such parameter
  never((client) => client.getStreams({ include_pubic: true }));
  // @ts-expect-error there is no such operation
  never((client) => client.sendMesage({}));
});

test('a refusal narrows to its code and has the fields of that code', () => {
  const error = new ParleyError(400, {
    result: 'error',
    msg: 'There is no such queue.',
    code: 'BAD_EVENT_QUEUE_ID',
    queue_id: '1:2',
  }) as unknown;
  if (!ParleyError.is(error, 'BAD_EVENT_QUEUE_ID')) throw error;
  expectTypeOf(error.code).toEqualTypeOf<'BAD_EVENT_QUEUE_ID'>();
  expectTypeOf(error.body).toEqualTypeOf<Schema<'BadEventQueueId'>>();
  expect(error.body.queue_id).toBe('1:2');
  // @ts-expect-error that is a field of another code
  never(() => error.body.bad_value);
  // @ts-expect-error there is no such code
  never(() => ParleyError.is(error, 'TEAPOT'));
});

test('events are of the types that were asked for, or a resync', () => {
  type Next<Stream> = Stream extends AsyncIterable<infer One> ? One : never;
  const events = (client: Client) => client.events({ types: ['message', 'typing'] });
  expectTypeOf<Next<ReturnType<typeof events>>['type']>().toEqualTypeOf<'message' | 'typing' | 'resync'>();
  expectTypeOf<Resync['state']>().toEqualTypeOf<Registration>();
  // @ts-expect-error there is no such type
  never((client) => client.events({ types: ['weather'] }));
  // @ts-expect-error heartbeats are for the connection, and are not given
  never((client) => client.events({ types: ['heartbeat'] }));
  // @ts-expect-error the types have a name of their own
  never((client) => client.events({ event_types: ['message'] }));
});
