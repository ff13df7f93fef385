// What must compile with events and state, and what must not: each `@ts-expect-error` needs an error.
import {
  applyEvent,
  type Client,
  type EventType,
  mirror,
  type Registration,
  type Resync,
  type Schema,
  type State,
} from '@parley/client';
import { expect, expectTypeOf, test } from 'vitest';

const never = (work: (client: Client) => unknown): void => expect(work).toBeTypeOf('function');

type Opened<Stream extends { open(): Promise<unknown> }> = Awaited<ReturnType<Stream['open']>>;

test('the state has the fetched parts, and no other compiles', () => {
  never((client) => async () => {
    const state = await client.events({ types: ['message'], fetch_event_types: ['subscription', 'realm_user'] }).open();
    expectTypeOf(state.subscriptions).toEqualTypeOf<NonNullable<State['subscriptions']>>();
    expectTypeOf(state.realm_users.length).toEqualTypeOf<number>();
    expectTypeOf(state.is_admin).toEqualTypeOf<boolean>();
    expectTypeOf(state.queue_id).toEqualTypeOf<string>();
    // @ts-expect-error streams were not fetched
    state.streams.length;
    // @ts-expect-error the types of events say nothing where the parts are named
    state.max_message_id.toFixed();
  });
  never((client) => async () => {
    const state = await client.events({ types: ['stream', 'typing'] }).open();
    expectTypeOf(state.streams).toEqualTypeOf<NonNullable<State['streams']>>();
    // @ts-expect-error subscriptions were not fetched
    state.subscriptions.length;
  });
  never((client) => async () => {
    const state = await client.events().open();
    expectTypeOf(state.unread_msgs).toEqualTypeOf<NonNullable<State['unread_msgs']>>();
    // @ts-expect-error it is absent, because `user_topic` is fetched
    state.muted_topics.length;
  });
  never((client) => async (types: EventType[], known: State) => {
    const state = await client.events({ types }).open();
    expectTypeOf(state.streams).toEqualTypeOf<State['streams']>();
    expectTypeOf<typeof state>().toExtend<Registration>();
    return applyEvent(known, {} as never);
  });
});

test('a resync, a mirror and a folded state have the same parts', () => {
  never((client) => async () => {
    for await (const event of client.events({ types: ['stream'], fetch_event_types: ['stream'] })) {
      const streams = event.type === 'resync' ? event.state.streams : [];
      expectTypeOf(streams).toExtend<Schema<'Stream'>[]>();
      // @ts-expect-error users were not fetched
      if (event.type === 'resync') event.state.realm_users.length;
    }
    for await (const { state, event } of mirror(client, { fetch_event_types: ['realm_user'] })) {
      expectTypeOf(state.realm_users.length).toEqualTypeOf<number>();
      // @ts-expect-error streams were not fetched
      state.streams.length;
      const next = event ? applyEvent(state, event) : state;
      expectTypeOf(next.realm_users.length).toEqualTypeOf<number>();
      const any: State = next;
      return any;
    }
    return undefined;
  });
  const resume = { load: () => undefined, save: () => {} };
  const resumed = (client: Client) => client.events({ types: ['stream'], resume });
  expectTypeOf<Extract<Opened<ReturnType<typeof resumed>>, undefined>>().toEqualTypeOf<undefined>();
  expectTypeOf<NonNullable<Opened<ReturnType<typeof resumed>>>['streams']>().toEqualTypeOf<Schema<'Stream'>[]>();
});

test('events are of the given types, or a resync', () => {
  type Next<Stream> = Stream extends AsyncIterable<infer One> ? One : never;
  const events = (client: Client) => client.events({ types: ['message', 'typing'] });
  expectTypeOf<Next<ReturnType<typeof events>>['type']>().toEqualTypeOf<'message' | 'typing' | 'resync'>();
  expectTypeOf<Resync['state']>().toEqualTypeOf<Registration>();
  // @ts-expect-error there is no such type
  never((client) => client.events({ types: ['weather'] }));
  const types: ('message' | 'typing')[] = ['message'];
  const some = (client: Client) => client.events({ types });
  expectTypeOf<Next<ReturnType<typeof some>>['type']>().toEqualTypeOf<'message' | 'typing' | 'resync'>();
  const all = (client: Client) => client.events();
  expectTypeOf<Next<ReturnType<typeof all>>['type']>().toEqualTypeOf<EventType | 'resync'>();
  // @ts-expect-error heartbeats are for the connection, and are not given
  never((client) => client.events({ types: ['heartbeat'] }));
  // @ts-expect-error the types have a name of their own
  never((client) => client.events({ event_types: ['message'] }));
});
