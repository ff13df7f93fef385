// What must compile with the client, and what must not: each `@ts-expect-error` needs an error.
import {
  type AnyMessage,
  type Arguments,
  type BadRequestReason,
  type Calls,
  type Client,
  type DirectMessage,
  type DirectRecipients,
  type ErrorCode,
  type ErrorCodeOf,
  type EventId,
  type MessageId,
  type Narrow,
  type OperationId,
  type Params,
  ParleyError,
  type Payload,
  replyTo,
  type Schema,
  type StreamId,
  type StreamMessage,
  type TopicRecipient,
  type UserGroupId,
  type UserId,
} from '@parley/client';
import { expect, expectTypeOf, test } from 'vitest';

const never = (work: (client: Client) => unknown): void => expect(work).toBeTypeOf('function');

test('every operation takes its parameters and returns its payload', () => {
  expectTypeOf<keyof Calls>().toEqualTypeOf<OperationId>();
  type Taken = { [Id in OperationId]: Parameters<Calls[Id]> };
  type Named = { [Id in OperationId]: Arguments<Id> };
  expectTypeOf<Taken extends Named ? true : false>().toEqualTypeOf<true>();
  expectTypeOf<Calls['sendMessage']>().returns.resolves.toEqualTypeOf<Payload<'sendMessage'>>();
  expectTypeOf<Calls['getStreams']>().toBeCallableWith();
  expectTypeOf<Params<'updateMessageFlags'>['messages']>().toEqualTypeOf<readonly MessageId[]>();
  expectTypeOf<Payload<'getStreams'>>().not.toHaveProperty('result');
});

test('optional parameters can be undefined, and lists can be read-only', () => {
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

test('values that are none of the listed ones do not compile', () => {
  // @ts-expect-error a misspelt type of events
  never((client) => client.registerQueue({ event_types: ['mesage'] }));
  // @ts-expect-error a misspelt part of the state
  never((client) => client.registerQueue({ fetch_event_types: ['subscriptions'] }));
  // @ts-expect-error a misspelt flag
  never((client) => client.updateMessageFlags({ messages: [4], op: 'add', flag: 'raed' }));
  // @ts-expect-error a misspelt anchor
  never((client) => client.getMessages({ anchor: 'newset', num_before: 1, num_after: 0 }));
});

test('a term of a narrow has an operator and an operand that belong together', () => {
  const narrow: Narrow = [['stream', 'kitchen'], ['is', 'unread'], { operator: 'has', operand: 'link', negated: true }];
  never((client) => client.getMessages({ anchor: 'newest', num_before: 1, num_after: 0, narrow }));
  never((client) => client.registerQueue({ narrow: [['is', 'mentioned']] }));
  // @ts-expect-error a misspelt operator
  expectTypeOf<[['straem', 'kitchen']]>().toExtend<Narrow>();
  // @ts-expect-error a misspelt operand
  expectTypeOf<[['is', 'unraed']]>().toExtend<Narrow>();
  // @ts-expect-error an operand of another operator
  expectTypeOf<[{ operator: 'has'; operand: 'unread' }]>().toExtend<Narrow>();
  // @ts-expect-error queues have no search
  never((client) => client.registerQueue({ narrow: [['search', 'soup']] }));
});

test('a message goes to a topic of a stream or to users, and not to both', () => {
  never((client) => client.sendMessage({ type: 'stream', to: 4, topic: 'soup', content: 'hello' }));
  never((client) => client.sendMessage({ type: 'direct', to: [4], topic: undefined, content: 'hello' }));
  // @ts-expect-error a direct message has no topic
  never((client) => client.sendMessage({ type: 'direct', to: [4], topic: 'soup', content: 'hello' }));
  // @ts-expect-error a stream is one
  never((client) => client.sendMessage({ type: 'stream', to: [4], topic: 'soup', content: 'hello' }));
  // @ts-expect-error users are a list
  never((client) => client.sendMessage({ type: 'direct', to: 4, content: 'hello' }));
  const later = { content: 'hello', scheduled_delivery_timestamp: 1 };
  // @ts-expect-error a direct message has no topic
  never((client) => client.scheduleMessage({ type: 'direct', to: [4], topic: 'soup', ...later }));
  // @ts-expect-error a message to a stream needs a topic
  never((client) => client.scheduleMessage({ type: 'stream', to: 4, ...later }));
  // @ts-expect-error typing in a stream names the stream
  never((client) => client.setTyping({ op: 'start', type: 'stream', to: [4] }));
  // @ts-expect-error typing to users names no topic
  never((client) => client.setTyping({ op: 'start', to: [4], topic: 'soup' }));
});

test('an id of one kind does not compile in place of another, and a plain number does', () => {
  never((client) => async (user_id: UserId, stream_id: StreamId, message_id: MessageId, event_id: EventId) => {
    await client.getUser({ user_id });
    await client.getUser({ user_id: 4 });
    await client.getMessage({ message_id: message_id + 1 });
    await client.sendMessage({ type: 'stream', to: stream_id, content: 'hello' });
    await client.sendMessage({ type: 'direct', to: [user_id, 4], content: 'hello' });
    await client.subscribe({ subscriptions: [{ name: 'kitchen' }], principals: [user_id] });
    // @ts-expect-error a stream is no user
    await client.getUser({ user_id: stream_id });
    // @ts-expect-error a user is no stream
    await client.sendMessage({ type: 'stream', to: user_id, content: 'hello' });
    // @ts-expect-error a stream is no user
    await client.sendMessage({ type: 'direct', to: [stream_id], content: 'hello' });
    // @ts-expect-error the id of an event is not the one of its message
    await client.getMessage({ message_id: event_id });
    // @ts-expect-error streams are no users
    await client.subscribe({ subscriptions: [{ name: 'kitchen' }], principals: [stream_id] });
    // @ts-expect-error users are no messages
    await client.updateMessageFlags({ messages: [user_id], op: 'add', flag: 'read' });
    // @ts-expect-error they are never equal
    return user_id === stream_id;
  });
  never((client) => async (message: StreamMessage) => {
    await client.getUser({ user_id: message.sender_id });
    // @ts-expect-error that is the message
    await client.getUser({ user_id: message.id });
    const ids: number[] = [message.id, message.sender_id];
    return new Map(ids.map((id) => [id, message])).get(message.stream_id);
  });
});

test('ids in responses have their kinds', () => {
  expectTypeOf<Schema<'Message'>['id']>().toEqualTypeOf<MessageId>();
  expectTypeOf<Schema<'Message'>['sender_id']>().toEqualTypeOf<UserId>();
  expectTypeOf<DirectMessage['display_recipient'][number]['id']>().toEqualTypeOf<UserId>();
  expectTypeOf<Schema<'Stream'>['can_remove_subscribers_group']>().toEqualTypeOf<UserGroupId>();
  expectTypeOf<Schema<'Token'>['stream_id']>().toEqualTypeOf<StreamId | null>();
  expectTypeOf<Payload<'sendMessage'>['id']>().toEqualTypeOf<MessageId>();
  expectTypeOf<Params<'getUser'>['user_id']>().toEqualTypeOf<UserId | string>();
  expectTypeOf<Schema<'Draft'>['to']>().toEqualTypeOf<number[]>();
  expectTypeOf<Schema<'Message'>['timestamp']>().toEqualTypeOf<number>();
  expectTypeOf<UserId>().toExtend<number>();
  expectTypeOf<number>().toExtend<UserId>();
  expectTypeOf<StreamId>().not.toExtend<UserId>();
});

test('a message is one in a stream or a direct one, by its type', () => {
  expectTypeOf<Schema<'Message'>>().toEqualTypeOf<StreamMessage | DirectMessage>();
  const read = (message: Schema<'Message'>) => {
    if (message.type === 'stream') {
      expectTypeOf(message.stream_id).toEqualTypeOf<StreamMessage['stream_id']>();
      expectTypeOf(message.display_recipient).toEqualTypeOf<string>();
    } else {
      expectTypeOf(message.display_recipient).toEqualTypeOf<Schema<'Participant'>[]>();
      // @ts-expect-error a direct message is in no stream
      expectTypeOf(message.stream_id).toEqualTypeOf<StreamMessage['stream_id']>();
    }
  };
  expect(read).toBeTypeOf('function');
  type Fetched = Payload<'getMessages'>['messages'][number];
  expectTypeOf<Fetched>().toEqualTypeOf<StreamMessage | DirectMessage>();
});

test('a reply takes its recipients from any message', () => {
  never((client) => (message: AnyMessage) => client.sendMessage({ ...replyTo(message), content: 'hello' }));
  expectTypeOf<TopicRecipient | DirectRecipients>().toEqualTypeOf<ReturnType<typeof replyTo>>();
  // @ts-expect-error the content is missing
  never((client) => (message: AnyMessage) => client.sendMessage({ ...replyTo(message) }));
});

test('the codes of an operation are known, and a switch narrows the body of each', () => {
  const handle = (error: unknown) => {
    if (!ParleyError.isFrom(error, 'sendMessage')) throw error;
    switch (error.code) {
      case 'STREAM_DOES_NOT_EXIST':
        expectTypeOf(error.body).toEqualTypeOf<Schema<'StreamDoesNotExist'>>();
        return;
      case 'RATE_LIMIT_HIT':
        expectTypeOf(error.body['retry-after']).toEqualTypeOf<number>();
        expectTypeOf(error.reason).toEqualTypeOf<undefined>();
        return;
      case 'BAD_REQUEST':
        expectTypeOf(error.reason).toEqualTypeOf<BadRequestReason>();
        // @ts-expect-error there is no such reason
        if (error.reason === 'full moon') return;
        return;
      // @ts-expect-error sending a message knows no queue
      case 'BAD_EVENT_QUEUE_ID':
        return;
      default:
        expectTypeOf(error.message).toEqualTypeOf<string>();
        // @ts-expect-error the codes that are left do not all have it
        error.body.stream;
    }
  };
  expect(handle).toBeTypeOf('function');
  expectTypeOf<ErrorCodeOf<'deleteQueue'>>().toExtend<ErrorCode>();
  expectTypeOf<'BAD_EVENT_QUEUE_ID'>().toExtend<ErrorCodeOf<'deleteQueue'>>();
  expectTypeOf<Extract<ErrorCodeOf<'getStreams'>, 'BAD_EVENT_QUEUE_ID'>>().toBeNever();
});

test('without an operation a switch narrows all codes, and a newer code is compared as a string', () => {
  const handle = (error: unknown) => {
    if (!ParleyError.is(error)) throw error;
    const code: string = error.code;
    if (error.code === 'BAD_EVENT_QUEUE_ID') expectTypeOf(error.body.queue_id).toEqualTypeOf<string>();
    // @ts-expect-error there is no such code
    if (error.code === 'TEAPOT') return code;
    if (code === 'TEAPOT') return code;
    return code;
  };
  expect(handle).toBeTypeOf('function');
});

test('an error narrows to its code and has the fields of that code', () => {
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
